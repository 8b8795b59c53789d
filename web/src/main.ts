// SPDX-License-Identifier: Apache-2.0
import './style.css';
import { App } from './app';

new App().start();
