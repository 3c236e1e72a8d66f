'use client';

import {
  type DetailedHTMLProps,
  type HTMLAttributes,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';

/** The element that the script `embed.js` defines. */
export interface GatehouseChatElement extends HTMLElement {
  getToken?: () => string | Promise<string>;
  /** `true` while the chat is shown. */
  readonly isOpen: boolean;
  open(): void;
  close(): void;
  toggle(): void;
  /** Opens the chat and fills in a question of at most 4,000 characters. `send` sends the question instead. */
  ask(text: string, options?: { readonly send?: boolean }): void;
  /** `auto`: the colour scheme of the link, the page or the system. */
  setTheme(theme: 'light' | 'dark' | 'auto'): void;
  updateContext(context: object | null): void;
  on<Name extends keyof GatehouseEvents>(
    name: Name,
    listener: (detail: GatehouseEvents[Name]) => void,
  ): () => void;
}

/** The details of the events. No event contains the text of a question or an answer. */
export interface GatehouseEvents {
  open: object;
  close: object;
  state: { state: 'open' | 'waiting' | 'expired' | 'revoked' | 'unknown' };
  question: object;
  answer: { state: 'finished' | 'stopped' | 'failed' };
  error: { reason: 'unreachable' | 'no-token' };
}

interface Attributes {
  token?: string | undefined;
  mode?: 'bubble' | 'inline' | 'panel' | 'page' | undefined;
  position?: 'left' | 'right' | undefined;
  lang?: string | undefined;
  label?: string | undefined;
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'gatehouse-chat': DetailedHTMLProps<
        HTMLAttributes<GatehouseChatElement> & Attributes,
        GatehouseChatElement
      >;
    }
  }
}

export interface GatehouseChatProps extends Attributes {
  /** The URL of Gatehouse: `https://gatehouse.example`. */
  readonly service: string;
  /** Requests the token of a new link for the signed-in user from your backend. */
  readonly getToken?: () => Promise<string>;
  /** Facts about the page for the assistant, as JSON. */
  readonly context?: object | null;
  /** A ref to the element, to call its methods, such as `ask`. */
  readonly chat?: RefObject<GatehouseChatElement | null>;
  readonly onState?: (detail: GatehouseEvents['state']) => void;
  readonly onQuestion?: () => void;
  readonly onAnswer?: (detail: GatehouseEvents['answer']) => void;
  readonly onError?: (detail: GatehouseEvents['error']) => void;
}

/**
 * Renders the chat. Needs `token`, `getToken` or both. With both, `getToken` is called when the first link expires.
 *
 * @example
 * <GatehouseChat service="https://gatehouse.example" getToken={fetchToken} context={{ page: 'cart' }} />
 */
export function GatehouseChat(props: GatehouseChatProps) {
  const { service, getToken, context = null, chat, onState, onQuestion, onAnswer, onError } = props;
  const own = useRef<GatehouseChatElement>(null);
  const element = chat ?? own;
  // Stores the latest functions, so that a changed function does not recreate the chat.
  const newest = useRef({ getToken, onState, onQuestion, onAnswer, onError });
  useLayoutEffect(() => {
    newest.current = { getToken, onState, onQuestion, onAnswer, onError };
  });

  const hasGetToken = getToken !== undefined;
  useLayoutEffect(() => {
    if (element.current === null || !hasGetToken) return;
    element.current.getToken = async () => (await newest.current.getToken?.()) ?? '';
  }, [element, hasGetToken]);

  useEffect(() => {
    let isOver = false;
    const stops: (() => void)[] = [];
    void load(service).then(() => {
      const { current } = element;
      if (isOver || current === null) return;
      stops.push(
        current.on('state', (detail) => newest.current.onState?.(detail)),
        current.on('question', () => newest.current.onQuestion?.()),
        current.on('answer', (detail) => newest.current.onAnswer?.(detail)),
        current.on('error', (detail) => newest.current.onError?.(detail)),
      );
    });
    return () => {
      isOver = true;
      for (const stop of stops) stop();
    };
  }, [service, element]);

  const facts = JSON.stringify(context);
  useEffect(() => {
    void load(service).then(() => element.current?.updateContext(JSON.parse(facts)));
  }, [service, element, facts]);

  const { token, mode, position, lang, label } = props;
  // React turns a `lang` that is no longer set into the attribute `lang="undefined"`.
  useLayoutEffect(() => {
    if (lang === undefined) element.current?.removeAttribute('lang');
  }, [element, lang]);
  return <gatehouse-chat ref={element} {...{ token, mode, position, lang, label }} />;
}

/** Adds the script if the page does not have it yet. Resolves when the element is defined. */
async function load(service: string): Promise<void> {
  const src = `${service}/embed.js`;
  if (document.querySelector(`script[src="${src}"]`) === null)
    document.head.append(Object.assign(document.createElement('script'), { src, async: true }));
  await customElements.whenDefined('gatehouse-chat');
}
