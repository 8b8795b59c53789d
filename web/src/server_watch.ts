// SPDX-License-Identifier: Apache-2.0
//
// Knows whether the server lives. While it does, it is asked now and then; once it does not, at first soon and then
// ever less often, up to a limit. Whoever finds it gone says so with reportLost and need not wait for the next
// question. One question is open at a time.

export type ServerState = 'unknown' | 'up' | 'down';

const kUpEveryMs = 5_000;
const kDownFirstMs = 500;
const kDownMostMs = 8_000;

export class ServerWatch {
  private readonly isAlive: () => Promise<boolean>;
  private readonly onChange: (state: ServerState) => void;
  private current: ServerState = 'unknown';
  private downEveryMs = kDownFirstMs;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asking = false;
  private waiting: (() => void)[] = [];

  constructor(isAlive: () => Promise<boolean>, onChange: (state: ServerState) => void) {
    this.isAlive = isAlive;
    this.onChange = onChange;
  }

  get state(): ServerState {
    return this.current;
  }

  /** Asks now: at the start, and when there is reason to think that the answer has changed. */
  async check(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    clearTimeout(this.timer);
    const alive = await this.isAlive();
    this.asking = false;
    if (alive) this.downEveryMs = kDownFirstMs;
    this.enter(alive ? 'up' : 'down');
    this.schedule();
  }

  /** A request found nobody. */
  reportLost(): void {
    if (this.current === 'down') return;
    this.downEveryMs = kDownFirstMs;
    this.enter('down');
    if (!this.asking) this.schedule();
  }

  /** Resolves once the server is known to live. */
  untilUp(): Promise<void> {
    if (this.current === 'up') return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private schedule(): void {
    clearTimeout(this.timer);
    let delayMs = kUpEveryMs;
    if (this.current === 'down') {
      delayMs = this.downEveryMs;
      this.downEveryMs = Math.min(2 * delayMs, kDownMostMs);
    }
    this.timer = setTimeout(() => void this.check(), delayMs);
  }

  private enter(state: ServerState): void {
    if (state === this.current) return;
    this.current = state;
    if (state === 'up') {
      const waiting = this.waiting;
      this.waiting = [];
      for (const resolve of waiting) resolve();
    }
    this.onChange(state);
  }
}
