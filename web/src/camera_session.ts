// SPDX-License-Identifier: Apache-2.0
//
// The camera from "start" to "stop": frame after frame with what was found in it, and rates over the last ones.

import { Camera, type Frame } from './camera';
import { runFrameLoop } from './frame_loop';
import type { Inquiry } from './inquiry';
import { Problem } from './problem';
import { LatencyMeter, RateMeter } from './rates';
import type { Exhibit } from './view/exhibit';

export interface CameraSessionEvents {
  /** Also for what passes by itself; `onGood` follows then. */
  onProblem: (problem: Problem) => void;
  onGood: () => void;
  onRunning: (running: boolean) => void;
  untilServerUp: (signal: AbortSignal) => Promise<void>;
}

/** A frame that waited longer shows the past; the server drops it then. */
const kFrameTimeoutMs = 2_000;

export class CameraSession {
  private readonly video: HTMLVideoElement;
  private readonly inquiry: Inquiry;
  private readonly exhibit: Exhibit;
  private readonly events: CameraSessionEvents;
  private work: AbortController | undefined;

  constructor(video: HTMLVideoElement, inquiry: Inquiry, exhibit: Exhibit, events: CameraSessionEvents) {
    this.video = video;
    this.inquiry = inquiry;
    this.exhibit = exhibit;
    this.events = events;
  }

  get running(): boolean {
    return this.work !== undefined;
  }

  stop(): void {
    if (this.work === undefined) return;
    this.work.abort();
    this.work = undefined;
    this.events.onRunning(false);
  }

  /** Returns when the camera has stopped, for whatever reason. */
  async run(): Promise<void> {
    const work = new AbortController();
    this.work = work;
    this.events.onRunning(true);
    let camera: Camera | undefined;
    try {
      camera = await Camera.open(this.video, () => {
        work.abort(new Problem('camera-ended'));
      });
      await this.loop(camera, work.signal);
      if (work.signal.reason instanceof Problem) throw work.signal.reason;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (this.work === work) this.events.onProblem(error);
    } finally {
      camera?.close();
      if (this.work === work) this.stop();
    }
  }

  private loop(camera: Camera, signal: AbortSignal): Promise<void> {
    const rate = new RateMeter();
    const latency = new LatencyMeter();
    return runFrameLoop<Frame>(
      {
        nextFrame: (stop) => camera.nextFrame(stop),
        ask: ({ encoded }, stop) => this.inquiry.ask(encoded, { signal: stop, timeoutMs: kFrameTimeoutMs }),
        onReply: async (frame, reply) => {
          const drawing = await this.inquiry.drawingOf(reply);
          if (signal.aborted) return;
          this.events.onGood();
          const nowMs = performance.now();
          rate.add(nowMs);
          latency.add({ ...reply.answer.timing_ms, roundTrip: reply.roundTripMs });
          this.show(frame, drawing, nowMs);
          const median = latency.median();
          if (median) this.exhibit.latency.show(median, { perSecond: rate.perSecond() });
        },
        onTrouble: this.events.onProblem,
        untilServerUp: this.events.untilServerUp,
      },
      signal,
    );
  }

  private show({ picture }: Frame, drawing: Awaited<ReturnType<Inquiry['drawingOf']>>, nowMs: number): void {
    this.exhibit.stage.showPicture(
      { image: picture, width: picture.width, height: picture.height },
      'Frame of the camera',
    );
    this.exhibit.show(drawing, nowMs);
  }
}
