// SPDX-License-Identifier: Apache-2.0
//
// Photos, one after the other: shows the current one and what was found in it. Where the server is gone the question
// stays open until `resume`.

import type { Reply } from './client';
import type { Inquiry } from './inquiry';
import type { Photos } from './photos';
import { Problem } from './problem';
import type { Exhibit } from './view/exhibit';

export interface PhotoSessionEvents {
  onProblem: (problem: Problem, about: string) => void;
  onBegin: () => void;
}

/** The file's pixels, upright as the server sees them; undefined where the browser cannot read it. */
async function decode(file: File): Promise<ImageBitmap | undefined> {
  try {
    return await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch {
    return undefined;
  }
}

export class PhotoSession {
  private readonly photos: Photos;
  private readonly inquiry: Inquiry;
  private readonly exhibit: Exhibit;
  private readonly events: PhotoSessionEvents;
  private work = new AbortController();
  private bitmap: ImageBitmap | undefined;
  private isOpenQuestion = false;

  constructor(photos: Photos, inquiry: Inquiry, exhibit: Exhibit, events: PhotoSessionEvents) {
    this.photos = photos;
    this.inquiry = inquiry;
    this.exhibit = exhibit;
    this.events = events;
  }

  /** Drops the question under way; its answer is of no interest any more. */
  stop(): void {
    this.work.abort();
    this.isOpenQuestion = false;
    this.exhibit.stage.busy = false;
  }

  /** Asks again what the server could not be asked. */
  async resume(): Promise<void> {
    if (this.isOpenQuestion) await this.ask();
  }

  /** Asks about the current photo. */
  async ask(): Promise<void> {
    const file = this.photos.current;
    if (file === undefined) return;
    this.stop();
    const work = new AbortController();
    this.work = work;
    this.events.onBegin();
    this.exhibit.clear('Looking…');
    this.exhibit.stage.busy = true;
    try {
      // Sent and decoded side by side.
      const [reply] = await Promise.all([
        this.inquiry.ask(file, { signal: work.signal }),
        this.showFile(file, work.signal),
      ]);
      await this.showReply(file, reply, work.signal);
    } catch (error) {
      if (work.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      this.isOpenQuestion = error.kind === 'server-gone';
      this.exhibit.clear(this.isOpenQuestion ? 'Waiting for the server.' : 'No answer for this picture.');
      this.events.onProblem(error, file.name);
    } finally {
      if (this.work === work) this.exhibit.stage.busy = false;
    }
  }

  private async showFile(file: File, signal: AbortSignal): Promise<void> {
    const bitmap = await decode(file);
    if (signal.aborted) {
      bitmap?.close();
      return;
    }
    const { stage } = this.exhibit;
    if (bitmap) stage.showPicture({ image: bitmap, width: bitmap.width, height: bitmap.height }, file.name);
    else stage.clear();
    this.bitmap?.close();
    this.bitmap = bitmap;
  }

  private async showReply(file: File, reply: Reply, signal: AbortSignal): Promise<void> {
    const { answer, roundTripMs } = reply;
    const drawing = await this.inquiry.drawingOf(reply);
    if (signal.aborted) return;
    if (this.bitmap === undefined) {
      // The server reads more kinds of files than some browsers: drawn on an empty picture then.
      const blank = new OffscreenCanvas(answer.width, answer.height);
      blank.getContext('2d');
      this.exhibit.stage.showPicture({ image: blank, width: answer.width, height: answer.height }, file.name);
    }
    this.exhibit.show(drawing);
    this.exhibit.latency.show({ ...answer.timing_ms, roundTrip: roundTripMs });
  }
}
