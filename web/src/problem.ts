// SPDX-License-Identifier: Apache-2.0
//
// Everything that can go wrong, as a kind that the program acts on and words that a person understands.

export type ProblemKind =
  | 'unsupported-type'
  | 'too-large'
  | 'broken-picture'
  | 'no-picture'
  | 'server-gone'
  | 'cut-off'
  | 'server-stopping'
  | 'server-busy'
  | 'queue-full'
  | 'deadline'
  | 'no-answer'
  | 'no-model'
  | 'strange-answer'
  | 'server-error'
  | 'camera-none'
  | 'camera-refused'
  | 'camera-busy'
  | 'camera-insecure'
  | 'camera-ended';

const kWords: Record<ProblemKind, string> = {
  'unsupported-type': 'The server does not read this type of file. It takes JPEG, PNG and WebP pictures.',
  'too-large': 'The picture is too large for the server.',
  'broken-picture': 'The server cannot read this picture; the file may be damaged.',
  'no-picture': 'That is not a picture. Drop, paste or choose a JPEG, PNG or WebP file.',
  'server-gone': 'The server does not answer. This page goes on by itself as soon as it is back.',
  'cut-off': 'The connection broke while the picture was being sent. It may be larger than the server takes.',
  'server-stopping': 'The server is stopping and takes no new pictures.',
  'server-busy': 'The server has no connection free at the moment.',
  'queue-full': 'The server is busy: its queue is full. Try again in a moment.',
  deadline: 'The server was too busy to look at the picture in time.',
  'no-answer': 'The server took too long to answer.',
  'no-model': 'The server no longer has this model. Choose another one.',
  'strange-answer': 'The server sent an answer that this page does not understand.',
  'server-error': 'Something went wrong on the server.',
  'camera-none': 'There is no camera on this device.',
  'camera-refused': "The camera is not allowed here. Allow it in the browser's settings for this page.",
  'camera-busy': 'The camera cannot be used. Another program may have it open.',
  'camera-insecure': 'Browsers give the camera only to pages over HTTPS or from this same computer (localhost).',
  'camera-ended': 'The camera was disconnected.',
};

export class Problem extends Error {
  override name = 'Problem';
  readonly kind: ProblemKind;
  /** What the server or the browser said of it; may be empty. */
  readonly detail: string;
  /** When trying again makes sense, where the server said so. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: ProblemKind, detail = '', retryAfterMs?: number) {
    super(kWords[kind]);
    this.kind = kind;
    this.detail = detail;
    this.retryAfterMs = retryAfterMs;
  }
}

function kindOfResponse(status: number, reason: string): ProblemKind {
  switch (status) {
    case 400:
      return 'broken-picture';
    case 404:
      return 'no-model';
    case 408:
      return 'no-answer';
    case 413:
      return 'too-large';
    case 415:
      return 'unsupported-type';
    case 429:
      return 'queue-full';
    case 503:
      return reason === 'draining' ? 'server-stopping' : 'server-busy';
    case 504:
      return 'deadline';
    default:
      return 'server-error';
  }
}

/** The problem that an answer of `status` with the error body `{error, reason}` reports. */
export function problemOfResponse(status: number, body: unknown, retryAfter: string | null): Problem {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const error = typeof fields['error'] === 'string' ? fields['error'] : `HTTP status ${status}`;
  const reason = typeof fields['reason'] === 'string' ? fields['reason'] : '';
  const seconds = Number.parseFloat(retryAfter ?? '');
  return new Problem(kindOfResponse(status, reason), error, Number.isFinite(seconds) ? seconds * 1000 : undefined);
}

/** The problem behind what getUserMedia threw. */
export function problemOfCamera(error: unknown): Problem {
  const name = error instanceof Error ? error.name : '';
  const detail = error instanceof Error ? error.message : '';
  switch (name) {
    case 'NotFoundError':
    case 'OverconstrainedError':
      return new Problem('camera-none', detail);
    case 'NotAllowedError':
    case 'SecurityError':
      return new Problem('camera-refused', detail);
    default:
      return new Problem('camera-busy', detail);
  }
}
