// SPDX-License-Identifier: Apache-2.0
//
// The page: what the controls do, and who hears of the server's comings and goings. Photos and the camera exclude each
// other; starting one stops the other.

import { CameraSession } from './camera_session';
import { Client } from './client';
import { Inquiry } from './inquiry';
import { PhotoSession } from './photo_session';
import { Photos } from './photos';
import { Problem, type ProblemKind } from './problem';
import { ServerWatch, type ServerState } from './server_watch';
import { element, setText } from './view/elements';
import { Exhibit } from './view/exhibit';
import { listenForFiles } from './view/intake';
import { ModelPicker } from './view/model_picker';
import { Notices } from './view/notices';
import { unlessAborted } from './wait';

/** What asking once more about the same photo may cure. */
const kWorthRetrying: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  'queue-full',
  'server-busy',
  'server-stopping',
  'server-error',
  'deadline',
  'no-answer',
  'cut-off',
]);

export class App {
  private readonly client = new Client({
    fetch: (input, init) => fetch(input, init),
    now: () => performance.now(),
  });
  private readonly watch = new ServerWatch(
    () => this.client.isAlive(),
    (state) => void this.onServer(state),
  );
  private readonly notices = new Notices();
  private readonly exhibit = new Exhibit();
  private readonly photos = new Photos();
  private readonly picker = new ModelPicker(() => void this.photoSession.ask());
  private readonly inquiry = new Inquiry(this.client, () => this.picker.chosen);
  private readonly photoSession = new PhotoSession(this.photos, this.inquiry, this.exhibit, {
    onBegin: () => {
      this.clearProblem();
    },
    onProblem: (problem, about) => {
      this.onPhotoProblem(problem, about);
    },
  });
  private readonly cameraSession = new CameraSession(element('video', HTMLVideoElement), this.inquiry, this.exhibit, {
    onProblem: (problem) => {
      this.onCameraProblem(problem);
    },
    onGood: () => {
      this.clearProblem();
    },
    onRunning: (running) => {
      this.showCameraRunning(running);
    },
    untilServerUp: (signal) => unlessAborted(this.watch.untilUp(), signal),
  });
  private readonly shelf = element('shelf', HTMLElement);
  private readonly shelfText = element('shelf-text', HTMLSpanElement);
  private readonly retry = element('retry', HTMLButtonElement);
  private readonly cameraButton = element('camera', HTMLButtonElement);

  start(): void {
    listenForFiles({
      onFiles: (files) => {
        this.onFiles(files);
      },
      onDragOver: (over) => {
        this.exhibit.stage.dropTarget = over;
      },
    });
    this.cameraButton.addEventListener('click', () => {
      this.toggleCamera();
    });
    this.retry.addEventListener('click', () => void this.photoSession.ask());
    for (const [id, step] of [['previous', -1], ['next', 1]] as const) {
      element(id, HTMLButtonElement).addEventListener('click', () => {
        if (this.photos.move(step)) this.askCurrent();
      });
    }
    // Both are moments at which the server may be back, or gone, without our having looked.
    window.addEventListener('online', () => void this.watch.check());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) void this.watch.check();
    });
    this.notices.showServer('unknown');
    void this.watch.check();
  }

  private onFiles(files: File[]): void {
    if (files.length === 0) {
      this.notices.showProblem(new Problem('no-picture'));
      return;
    }
    this.cameraSession.stop();
    this.photos.replace(files);
    this.askCurrent();
  }

  private askCurrent(): void {
    const { size, position } = this.photos;
    this.shelf.hidden = size < 2;
    setText(this.shelfText, `Photo ${position} of ${size}`);
    element('previous', HTMLButtonElement).disabled = position === 1;
    element('next', HTMLButtonElement).disabled = position === size;
    void this.photoSession.ask();
  }

  private toggleCamera(): void {
    if (this.cameraSession.running) {
      this.cameraSession.stop();
      return;
    }
    this.photoSession.stop();
    this.photos.replace([]);
    this.shelf.hidden = true;
    this.clearProblem();
    this.exhibit.stage.clear();
    this.exhibit.clear('Waiting for the first frame.');
    void this.cameraSession.run();
  }

  private showCameraRunning(running: boolean): void {
    this.cameraButton.classList.toggle('running', running);
    setText(element('camera-text', HTMLSpanElement), running ? 'Stop camera' : 'Start camera');
  }

  private async onServer(state: ServerState): Promise<void> {
    this.notices.showServer(state);
    if (state === 'down') {
      this.notices.showProblem(new Problem('server-gone'));
      return;
    }
    try {
      this.inquiry.forget();
      this.picker.setModels(await this.client.models());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.watch.reportLost(); // without its models it is of no use; asked again like one that is gone
      return;
    }
    if (this.notices.problemKind === 'server-gone') this.clearProblem();
    await this.photoSession.resume();
  }

  private onPhotoProblem(problem: Problem, about: string): void {
    this.reportLostIfGone(problem);
    // The server is gone for every photo: no name before it.
    this.notices.showProblem(problem, problem.kind === 'server-gone' ? '' : about);
    this.retry.hidden = !kWorthRetrying.has(problem.kind);
  }

  private onCameraProblem(problem: Problem): void {
    this.reportLostIfGone(problem);
    if (problem.kind.startsWith('camera-')) this.exhibit.clear('Nothing yet.');
    this.notices.showProblem(problem);
  }

  private reportLostIfGone(problem: Problem): void {
    if (problem.kind === 'server-gone') this.watch.reportLost();
  }

  private clearProblem(): void {
    this.retry.hidden = true;
    this.notices.clearProblem();
  }
}
