import type { Context, Mode, ToHost } from '../../protocol/messages.ts';
import type { Shell } from '../shell.ts';
import { Box, type Stage } from './box.ts';
import { Focus } from './focus.ts';
import { FrameTalk } from './frame-bridge.ts';
import { LinkToken, type TokenHolder } from './link-token.ts';

const MODES: readonly (string | null)[] = ['bubble', 'inline', 'panel', 'page'] satisfies Mode[];
/** Where this script comes from. The frame is beside it. */
const SERVICE = import.meta.url;
/** How long a chat waits for a token that nobody promised. */
const PATIENCE_MS = 10_000;

/**
 * What an element does from its first opening on.
 *
 *   none ──opening──▶ loading ──`ready`──▶ ready
 *                     loading ──no token, silence──▶ failed ──retry──▶ loading
 *                                                    failed ──late `ready`──▶ ready
 *   any ──out of the page, another token──▶ none
 *
 * `embed.js` and this may be of different ages, out of a browser's cache: the methods that it calls stay.
 */
export class Chat {
  readonly #element: TokenHolder;
  readonly #box: Box;
  readonly #focus: Focus;
  readonly #token: LinkToken;
  #isOpen = false;
  #stage: Stage = 'none';
  #talk: FrameTalk | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #context: Context | null = null;
  #look: Extract<ToHost, { type: 'look' }> | null = null;

  constructor(element: TokenHolder, shell: Shell) {
    this.#element = element;
    this.#focus = new Focus(shell);
    this.#token = new LinkToken(element);
    this.#box = new Box(shell, {
      retry: () => {
        this.#drop();
        void this.#load(true);
      },
      escape: () => this.close(),
    });
  }

  toggle(): void {
    if (this.#isOpen) this.close();
    else this.open();
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#focus.noteOpener();
    this.#show();
    // Before the frame hears that it is shown, since then it looks whether it has the focus.
    this.#focus.moveTo(this.#talk?.frame);
    this.settle();
    this.#fire('open');
  }

  /** Nothing where the chat is a part of the page. */
  close(): void {
    if (!this.#isOpen || this.#isPartOfPage) return;
    const hadFocus = this.#focus.isWithin;
    this.#isOpen = false;
    this.settle();
    if (hadFocus) this.#focus.giveBack();
    this.#fire('close');
  }

  updateContext(context: Context | null): void {
    // Through JSON, since what frameworks wrap in proxies cannot be sent as it is.
    this.#context = JSON.parse(JSON.stringify(context));
    this.#talk?.tell({ type: 'context', context: this.#context });
  }

  /** Makes everything what the element says now: in the page or not, of which token, in which mode. */
  settle(): void {
    const { isConnected } = this.#element;
    if (this.#token.hasChanged() || !isConnected) this.#drop();
    if (!isConnected) return;
    this.#isOpen ||= this.#isPartOfPage;
    this.#show();
    if (this.#isOpen && this.#stage === 'none') void this.#load(false);
    this.#greet();
  }

  end(): void {
    this.#isOpen = false;
    this.#drop();
    this.#box.end();
  }

  get #mode(): Mode {
    const mode = this.#element.getAttribute('mode');
    return MODES.includes(mode) ? (mode as Mode) : 'bubble';
  }

  get #isPartOfPage(): boolean {
    return this.#mode === 'inline' || this.#mode === 'page';
  }

  /** @param isAgain whether the token at hand has failed, so that another one is better. */
  async #load(isAgain: boolean): Promise<void> {
    this.#enter('loading');
    const { current } = this.#token;
    const token = (isAgain || current === null ? await this.#renew() : null) ?? current;
    // Meanwhile it was taken out of the page, or another attempt was quicker.
    if (this.#stage !== 'loading' || this.#talk !== null) return;
    if (token === null) this.#waitForToken();
    else this.#hold(token);
  }

  #hold(token: string): void {
    const url = new URL(`widget/${encodeURIComponent(token)}`, SERVICE);
    this.#talk = new FrameTalk(url, {
      onMessage: (message) => this.#understand(message),
      onSilence: (why) => this.#fail('unreachable', why),
    });
    this.#box.hold(this.#talk.frame);
    this.#show();
    this.#focus.moveTo(this.#talk.frame);
  }

  #waitForToken(): void {
    const fail = () => this.#fail('no-token', 'neither token nor getToken');
    if (this.#token.canRenew) this.#enter('failed');
    else this.#timer = setTimeout(fail, PATIENCE_MS);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#talk?.end();
    this.#talk = null;
    this.#enter('none');
  }

  /** The newest token, or null when the page has none to give, which it is told of. */
  async #renew(): Promise<string | null> {
    if (!this.#token.canRenew) return null;
    try {
      return await this.#token.renew();
    } catch (error) {
      this.#report('no-token', error);
      return null;
    }
  }

  #understand(message: ToHost): void {
    switch (message.type) {
      case 'ready':
        this.#enter('ready');
        if (this.#isOpen) this.#focus.moveTo(this.#talk?.frame);
        this.#greet();
        return;
      case 'look':
        this.#look = message;
        this.#show();
        return;
      case 'token-needed':
        void this.#renew().then((token) => this.#talk?.tell({ type: 'token', token }));
        return;
      case 'close':
        this.close();
        return;
      default: {
        const { type, ...detail } = message;
        this.#fire(type, detail);
      }
    }
  }

  #greet(): void {
    this.#talk?.tell({
      type: 'init',
      mode: this.#mode,
      locale: this.#element.getAttribute('lang'),
      context: this.#context,
      canRenew: this.#token.canRenew,
    });
    this.#talk?.tell({ type: this.#isOpen ? 'shown' : 'hidden' });
  }

  #enter(stage: Stage): void {
    this.#stage = stage;
    this.#show();
  }

  #show(): void {
    const element = this.#element;
    this.#box.show({
      mode: this.#mode,
      side: element.getAttribute('position') ?? this.#look?.position ?? null,
      isOpen: this.#isOpen,
      stage: this.#stage,
      title: element.getAttribute('label') ?? this.#look?.title ?? 'Chat',
      accent: this.#look?.accent ?? null,
    });
  }

  #fail(reason: 'unreachable' | 'no-token', why: unknown): void {
    this.#enter('failed');
    this.#report(reason, why);
  }

  #report(reason: 'unreachable' | 'no-token', why: unknown): void {
    console.warn('Gatehouse:', why);
    this.#fire('error', { reason });
  }

  #fire(name: string, detail: object = {}): void {
    const event = new CustomEvent(`gatehouse-${name}`, { detail, bubbles: true });
    this.#element.dispatchEvent(event);
  }
}
