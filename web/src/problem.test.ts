// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { problemOfCamera, problemOfResponse } from './problem';

describe('problemOfResponse', () => {
  it.each([
    [400, '', 'broken-picture'],
    [404, '', 'no-model'],
    [408, '', 'no-answer'],
    [413, '', 'too-large'],
    [415, '', 'unsupported-type'],
    [429, 'queue_full', 'queue-full'],
    [500, '', 'server-error'],
    [503, 'draining', 'server-stopping'],
    [503, '', 'server-busy'],
    [503, 'would_miss', 'server-busy'],
    [504, 'expired', 'deadline'],
  ])('understands %i %s as %s', (status, reason, kind) => {
    const problem = problemOfResponse(status, { error: 'because', reason }, null);
    expect(problem.kind).toBe(kind);
    expect(problem.detail).toBe('because');
    expect(problem.message).not.toBe('');
  });

  it('reads when to try again, where that is said', () => {
    expect(problemOfResponse(429, {}, '2').retryAfterMs).toBe(2000);
    expect(problemOfResponse(429, {}, 'soon').retryAfterMs).toBeUndefined();
  });

  it.each([undefined, null, 'text', [], { error: 5 }])('lives with the body %j', (body) => {
    expect(problemOfResponse(502, body, null).detail).toBe('HTTP status 502');
  });
});

describe('problemOfCamera', () => {
  it.each([
    ['NotFoundError', 'camera-none'],
    ['OverconstrainedError', 'camera-none'],
    ['NotAllowedError', 'camera-refused'],
    ['SecurityError', 'camera-refused'],
    ['NotReadableError', 'camera-busy'],
  ])('understands %s as %s', (name, kind) => {
    expect(problemOfCamera(new DOMException('why', name)).kind).toBe(kind);
  });

  it('lives with what is no error', () => {
    expect(problemOfCamera('oops').kind).toBe('camera-busy');
  });
});
