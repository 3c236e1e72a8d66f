import {
  type PageToolMessage,
  readMessage,
  seal,
  TO_HOST,
  type ToFrame,
  type ToHost,
} from '../../protocol/messages.ts';

/** Messages that the chat handles. `PageTools` handles the calls of tools. */
export type ChatMessage = Exclude<ToHost, PageToolMessage>;

const READY_TIMEOUT_MS = 10_000;
/**
 * A frame sends `ready` while it loads. If `ready` is still missing after this time, the browser has blocked the frame.
 */
const READY_TIMEOUT_AFTER_LOAD_MS = 3_000;

export interface FrameListener {
  readonly onMessage: (message: ChatMessage) => void;
  /** Called if `ready` does not arrive in time. `ready` can still arrive later. `reason` is a message for developers. */
  readonly onTimeout: (reason: string) => void;
}

/**
 * A frame and its message channel. Accepts only valid messages from the window of this frame and from the origin of
 * the service. Sends only to that origin.
 */
export class FrameBridge {
  readonly element = document.createElement('iframe');
  readonly #origin: string;
  readonly #listener: FrameListener;
  /** The window that has sent `ready`. A frame that moves in the page loads again, in another window. */
  #readyWindow: Window | null | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(url: URL, listener: FrameListener) {
    this.#origin = url.origin;
    this.#listener = listener;
    this.element.src = url.href;
    this.element.allow = 'clipboard-write';
    this.element.referrerPolicy = 'origin';
    this.element.onload = () => this.#restartTimer(READY_TIMEOUT_AFTER_LOAD_MS);
    this.#restartTimer(READY_TIMEOUT_MS);
    window.addEventListener('message', this.#receive);
  }

  /** Sends a message. Messages before `ready` are dropped, because the frame is not listening yet. */
  send(message: ToFrame): void {
    if (this.#isReady) this.element.contentWindow?.postMessage(seal(message), this.#origin);
  }

  get #isReady(): boolean {
    return this.#readyWindow === this.element.contentWindow;
  }

  end(): void {
    clearTimeout(this.#timer);
    window.removeEventListener('message', this.#receive);
    this.element.remove();
  }

  #restartTimer(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!this.#isReady) this.#timer = setTimeout(this.#onTimeout, milliseconds);
  }

  readonly #onTimeout = (): void => {
    const service = this.#origin;
    this.#listener.onTimeout(
      `no response from ${service}. Add ${location.origin} to allowedOrigins (PATCH /spaces/{spaceId}). If it is ` +
        `there, check that the token is valid, that the Content-Security-Policy of this page allows ` +
        `"frame-src ${service}", and that the service runs.`,
    );
  };

  /** Reports whether a message comes from the window of this frame and from the origin of the service. */
  isSender({ source, origin }: MessageEvent): boolean {
    return source === this.element.contentWindow && origin === this.#origin;
  }

  readonly #receive = (event: MessageEvent): void => {
    if (!this.isSender(event)) return;
    const message = readMessage<ChatMessage>(event.data, TO_HOST);
    if (message === null) return;
    if (message.type === 'ready') {
      this.#readyWindow = this.element.contentWindow;
      clearTimeout(this.#timer);
    }
    this.#listener.onMessage(message);
  };
}
