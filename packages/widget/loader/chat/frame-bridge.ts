import { readMessage, seal, TO_HOST, type ToFrame, type ToHost } from '../../protocol/messages.ts';

/** A frame speaks while it loads. One that is there and silent was refused by the browser. */
const PATIENCE_MS = 10_000;
const PATIENCE_AFTER_LOAD_MS = 3_000;

export interface FrameListener {
  readonly onMessage: (message: ToHost) => void;
  /** It said nothing in time, though it still may. Why, in words for who writes the page. */
  readonly onSilence: (why: string) => void;
}

/**
 * A frame and the talk with it, until `end`. It hears messages of this frame's window alone, from the
 * service's origin and of a known shape, and speaks to that origin alone.
 */
export class FrameTalk {
  readonly frame = document.createElement('iframe');
  readonly #origin: string;
  readonly #listener: FrameListener;
  #isReady = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(url: URL, listener: FrameListener) {
    this.#origin = url.origin;
    this.#listener = listener;
    this.frame.src = url.href;
    this.frame.allow = 'clipboard-write';
    this.frame.referrerPolicy = 'origin';
    this.frame.onload = () => this.#wait(PATIENCE_AFTER_LOAD_MS);
    this.#wait(PATIENCE_MS);
    window.addEventListener('message', this.#hear);
  }

  /** Nobody hears what is said before the frame has said `ready`. */
  tell(message: ToFrame): void {
    if (this.#isReady) this.frame.contentWindow?.postMessage(seal(message), this.#origin);
  }

  end(): void {
    clearTimeout(this.#timer);
    window.removeEventListener('message', this.#hear);
    this.frame.remove();
  }

  #wait(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!this.#isReady) this.#timer = setTimeout(this.#giveUp, milliseconds);
  }

  readonly #giveUp = (): void => {
    const service = this.#origin;
    this.#listener.onSilence(
      `no word from ${service}. Most likely ${location.origin} is not in allowedOrigins (PATCH /spaces/{spaceId}); ` +
        `else the token is unknown, "frame-src ${service}" missing here, or the service away.`,
    );
  };

  readonly #hear = ({ source, origin, data }: MessageEvent): void => {
    if (source !== this.frame.contentWindow || origin !== this.#origin) return;
    const message = readMessage<ToHost>(data, TO_HOST);
    if (message === null) return;
    if (message.type === 'ready') {
      this.#isReady = true;
      clearTimeout(this.#timer);
    }
    this.#listener.onMessage(message);
  };
}
