// SPDX-License-Identifier: Apache-2.0
//
// What a person must know: the state of the server, and the last problem in plain words.

import type { Problem, ProblemKind } from '../problem';
import type { ServerState } from '../server_watch';
import { element, setText } from './elements';

const kServerWords: Record<ServerState, string> = {
  unknown: 'Looking for the server…',
  up: 'Server is up',
  down: 'Server does not answer; trying again',
};

export class Notices {
  private readonly server = element('server', HTMLParagraphElement);
  private readonly serverText = element('server-text', HTMLSpanElement);
  private readonly alert = element('problem', HTMLDivElement);
  private readonly alertText = element('problem-text', HTMLParagraphElement);
  private readonly alertDetail = element('problem-detail', HTMLParagraphElement);

  private kind: ProblemKind | undefined;

  /** Of the problem that is shown. */
  get problemKind(): ProblemKind | undefined {
    return this.kind;
  }

  showServer(state: ServerState): void {
    this.server.dataset['state'] = state;
    setText(this.serverText, kServerWords[state]);
  }

  showProblem(problem: Problem, about = ''): void {
    this.alert.hidden = false;
    this.kind = problem.kind;
    setText(this.alertText, about === '' ? problem.message : `${about}: ${problem.message}`);
    setText(this.alertDetail, problem.detail);
  }

  clearProblem(): void {
    this.kind = undefined;
    this.alert.hidden = true;
    setText(this.alertText, '');
    setText(this.alertDetail, '');
  }
}
