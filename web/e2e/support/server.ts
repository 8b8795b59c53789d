// SPDX-License-Identifier: Apache-2.0
//
// The real `waystone serve` on a free port, which can be stopped and started again where it was.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { kModelFlags, kPage, kProgram } from './places';

export class Server {
  private readonly flags: readonly string[];
  private process: ChildProcess | undefined;
  private port = 0;

  private constructor(flags: readonly string[]) {
    this.flags = flags;
  }

  static async start(...flags: string[]): Promise<Server> {
    const server = new Server(flags);
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** Returns when it answers. */
  async start(): Promise<void> {
    const words = ['serve', '--port', String(this.port), '--grpc-port', '0', '--admin-port', '0', '--web', kPage, '--log-level', 'warning'];
    const child = spawn(kProgram, [...words, ...kModelFlags, ...this.flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.process = child;
    let log = '';
    child.stderr.on('data', (text: Buffer) => (log += text.toString()));
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /^ready: .*:(\d+)$/.exec(line)?.[1];
      if (port !== undefined) {
        this.port = Number(port);
        return;
      }
    }
    throw new Error(`the server did not start: ${log}`);
  }

  /** SIGTERM; returns when the process has ended. */
  async stop(): Promise<void> {
    const child = this.process;
    if (child === undefined) return;
    this.process = undefined;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}
