import type { LinkView } from '../session/link-session.ts';
import { useWords } from './strings-context.ts';

/** What a person sees in place of the chat. */
export function Notice(props: {
  readonly view: Exclude<LinkView, { kind: 'open' }>;
  /** Where to sign in, where the link told. */
  readonly signIn: string | null;
  readonly onTryNow: () => void;
}) {
  const { view, signIn, onTryNow } = props;
  const words = useWords();
  if (view.kind === 'opening')
    return (
      <div class="notice opening" role="status">
        <span class="dots" aria-hidden="true" />
        <span class="unseen">{words.opening}</span>
      </div>
    );
  if (view.kind === 'waiting') {
    const isOffline = view.reason === 'offline';
    return (
      <section class="notice" role="status">
        <h2>{isOffline ? words.noConnection : words.busy}</h2>
        <p>{isOffline ? words.noConnectionWhy : words.busyWhy}</p>
        <button type="button" class="button" onClick={onTryNow}>
          {words.tryNow}
        </button>
      </section>
    );
  }
  const { end } = view;
  const todo = signIn === null ? words.askForNewLink : words.signInToGoOn;
  return (
    <section class="notice" role="alert">
      <h2>{words[end]}</h2>
      <p>{end === 'unknown' ? words.unknownWhy : `${words[`${end}Why`]} ${todo}`}</p>
      {signIn !== null && end !== 'unknown' && (
        <a class="button" href={signIn} target="_top" rel="noreferrer">
          {words.signIn}
        </a>
      )}
    </section>
  );
}
