// SPDX-License-Identifier: Apache-2.0
//
// The camera as a source of single frames. nextFrame gives the newest one the camera has shown and never the same
// twice; frames that nobody asked for are gone. Nothing is queued.

import { Problem, problemOfCamera } from './problem';
import { unlessAborted } from './wait';

export interface Frame {
  picture: HTMLCanvasElement;
  encoded: Blob;
}

const kLongestSide = 1280;
const kJpegQuality = 0.85;

export class Camera {
  private readonly stream: MediaStream;
  private readonly video: HTMLVideoElement;
  private readonly canvas = document.createElement('canvas');
  private isFresh = false;
  private isOpen = true;
  private onFresh: (() => void) | undefined;

  private constructor(stream: MediaStream, video: HTMLVideoElement) {
    this.stream = stream;
    this.video = video;
    this.watchFrames();
  }

  /** Opens the camera that looks away from the user where there are several. `onEnded`: it was unplugged. */
  static async open(video: HTMLVideoElement, onEnded: () => void): Promise<Camera> {
    // Typed as always there, but browsers leave it out of pages that came over plain HTTP.
    const devices = navigator.mediaDevices as MediaDevices | undefined;
    if (devices === undefined) throw new Problem('camera-insecure');
    let stream: MediaStream;
    try {
      stream = await devices.getUserMedia({
        audio: false,
        video: { facingMode: { ideal: 'environment' }, width: { ideal: kLongestSide } },
      });
      video.srcObject = stream;
      await video.play();
    } catch (error) {
      throw problemOfCamera(error);
    }
    for (const track of stream.getVideoTracks()) track.addEventListener('ended', onEnded);
    return new Camera(stream, video);
  }

  /** Whoever waits for a frame after this waits until its signal. */
  close(): void {
    this.isOpen = false;
    for (const track of this.stream.getTracks()) track.stop();
    this.video.srcObject = null;
  }

  async nextFrame(signal: AbortSignal): Promise<Frame> {
    if (!this.isFresh) await unlessAborted(this.untilFresh(), signal);
    this.isFresh = false;
    const encoded = await this.capture();
    signal.throwIfAborted();
    return { picture: this.canvas, encoded };
  }

  private untilFresh(): Promise<void> {
    return new Promise((resolve) => {
      this.onFresh = resolve;
    });
  }

  private watchFrames(): void {
    this.video.requestVideoFrameCallback(() => {
      if (!this.isOpen) return;
      this.isFresh = true;
      this.onFresh?.();
      this.onFresh = undefined;
      this.watchFrames();
    });
  }

  private capture(): Promise<Blob> {
    const { videoWidth, videoHeight } = this.video;
    const scale = Math.min(1, kLongestSide / Math.max(videoWidth, videoHeight));
    this.canvas.width = Math.max(1, Math.round(videoWidth * scale));
    this.canvas.height = Math.max(1, Math.round(videoHeight * scale));
    this.canvas.getContext('2d')?.drawImage(this.video, 0, 0, this.canvas.width, this.canvas.height);
    return new Promise((resolve, reject) => {
      this.canvas.toBlob(
        (blob) => {
          if (blob) resolve(blob);
          else reject(new Problem('camera-busy', 'The browser could not encode a frame.'));
        },
        'image/jpeg',
        kJpegQuality,
      );
    });
  }
}
