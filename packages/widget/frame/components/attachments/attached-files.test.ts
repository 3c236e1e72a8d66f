import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api } from '../../api/api.ts';
import { AttachedFiles } from './attached-files.ts';

/** A request of a browser whose connection transfers nothing, except for `progress`. */
class LostRequest {
  static last: LostRequest;
  readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  onabort?: () => void;
  onloadend?: () => void;

  open(): void {}
  setRequestHeader(): void {}

  send(): void {
    LostRequest.last = this;
  }

  abort(): void {
    this.onabort?.();
    this.onloadend?.();
  }
}

test('an upload fails after 60 seconds without progress', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const global: { XMLHttpRequest?: unknown } = globalThis;
  global.XMLHttpRequest = LostRequest;
  t.after(() => delete global.XMLHttpRequest);
  const api = new Api({ accessToken: async () => 'token', reject: async () => {} });
  const attached = new AttachedFiles(api, 'chat');
  attached.add([new File(['text'], 'a.txt')]);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  const shown = () => attached.files.peek().map(({ progress, result }) => [progress, result]);
  t.mock.timers.tick(59_000);
  LostRequest.last.upload.onprogress?.({ loaded: 1, total: 4 });
  t.mock.timers.tick(59_000);
  await settle();
  assert.deepEqual(shown(), [[0.25, null]]);
  t.mock.timers.tick(1_000);
  await settle();
  assert.deepEqual(shown(), [[1, { ok: false, code: '' }]]);
});
