import {
  type DetailedHTMLProps,
  type HTMLAttributes,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';

/** What the script of a Gatehouse service makes of `<gatehouse-chat>`. */
export interface GatehouseChatElement extends HTMLElement {
  getToken?: () => string | Promise<string>;
  open(): void;
  close(): void;
  updateContext(context: object | null): void;
  on<Name extends keyof GatehouseEvents>(
    name: Name,
    listener: (detail: GatehouseEvents[Name]) => void,
  ): () => void;
}

/** What is told of each event. What was asked or answered is in none of them. */
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
  /** Where Gatehouse runs: `https://gatehouse.example`. */
  readonly service: string;
  /** Asks your back end for the token of a fresh link, for whoever is signed in. */
  readonly getToken?: () => Promise<string>;
  /** Facts about the page for the assistant, as JSON. */
  readonly context?: object | null;
  /** Gives the element, to open and close it. */
  readonly chat?: RefObject<GatehouseChatElement | null>;
  readonly onState?: (detail: GatehouseEvents['state']) => void;
  readonly onQuestion?: () => void;
  readonly onAnswer?: (detail: GatehouseEvents['answer']) => void;
  readonly onError?: (detail: GatehouseEvents['error']) => void;
}

/** A chat. Give it `token`, or `getToken`, or both: then `getToken` is asked when the first link has ended. */
export function GatehouseChat(props: GatehouseChatProps) {
  const { service, getToken, context = null, chat, onState, onQuestion, onAnswer, onError } = props;
  const own = useRef<GatehouseChatElement>(null);
  const element = chat ?? own;
  // The newest of them, without taking the chat apart when they change.
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
  return <gatehouse-chat ref={element} {...{ token, mode, position, lang, label }} />;
}

/** Includes the script, once, and resolves when the element is there. */
async function load(service: string): Promise<void> {
  const src = `${service}/embed.js`;
  if (document.querySelector(`script[src="${src}"]`) === null)
    document.head.append(Object.assign(document.createElement('script'), { src, async: true }));
  await customElements.whenDefined('gatehouse-chat');
}
