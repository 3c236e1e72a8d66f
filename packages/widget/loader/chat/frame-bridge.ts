import { readMessage, seal, TO_HOST, type ToFrame, type ToHost } from '../../protocol/messages.ts';

const READY_TIMEOUT_MS = 10_000;
/** A frame sends `ready` while it loads. If it does not, the browser has refused to show it. */
const READY_TIMEOUT_AFTER_LOAD_MS = 3_000;

export interface FrameListener {
  readonly onMessage: (message: ToHost) => void;
  /** Called if `ready` does not arrive in time; it can still arrive later. `reason` is for developers. */
  readonly onTimeout: (reason: string) => void;
}

/**
 * A frame and its messages. Accepts only valid messages from the window of this frame and the origin of the
 * service, and sends only to that origin.
 */
export class FrameBridge {
  readonly element = document.createElement('iframe');
  readonly #origin: string;
  readonly #listener: FrameListener;
  #isReady = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(url: URL, listener: FrameListener) {
    this.#origin = url.origin;
    this.#listener = listener;
    this.element.src = url.href;
    this.element.allow = 'clipboard-write';
    this.element.referrerPolicy = 'origin';
    this.element.onload = () => this.#wait(READY_TIMEOUT_AFTER_LOAD_MS);
    this.#wait(READY_TIMEOUT_MS);
    window.addEventListener('message', this.#receive);
  }

  /** Sends a message. Drops it before `ready`, because the frame does not listen yet. */
  send(message: ToFrame): void {
    if (this.#isReady) this.element.contentWindow?.postMessage(seal(message), this.#origin);
  }

  end(): void {
    clearTimeout(this.#timer);
    window.removeEventListener('message', this.#receive);
    this.element.remove();
  }

  #wait(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!this.#isReady) this.#timer = setTimeout(this.#onTimeout, milliseconds);
  }

  readonly #onTimeout = (): void => {
    const service = this.#origin;
    this.#listener.onTimeout(
      `no word from ${service}. Most likely ${location.origin} is not in allowedOrigins (PATCH /spaces/{spaceId}); ` +
        `else the token is unknown, "frame-src ${service}" missing here, or the service away.`,
    );
  };

  readonly #receive = ({ source, origin, data }: MessageEvent): void => {
    if (source !== this.element.contentWindow || origin !== this.#origin) return;
    const message = readMessage<ToHost>(data, TO_HOST);
    if (message === null) return;
    if (message.type === 'ready') {
      this.#isReady = true;
      clearTimeout(this.#timer);
    }
    this.#listener.onMessage(message);
  };
}
