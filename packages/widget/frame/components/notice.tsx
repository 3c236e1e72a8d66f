import type { LinkView } from '../session/link-session.ts';
import { useStrings } from './strings-context.ts';

export function Notice(props: {
  readonly view: Exclude<LinkView, { kind: 'open' }>;
  /** URL of the sign-in page, or `null` if the link has no such URL. */
  readonly signIn: string | null;
  readonly onRetry: () => void;
}) {
  const { view, signIn, onRetry } = props;
  const strings = useStrings();
  if (view.kind === 'opening')
    return (
      <div class="notice opening" role="status">
        <span class="dots" aria-hidden="true" />
        <span class="visually-hidden">{strings.opening}</span>
      </div>
    );
  if (view.kind === 'waiting') {
    const isOffline = view.reason === 'offline';
    return (
      <section class="notice" role="status">
        <h2>{isOffline ? strings.noConnection : strings.busy}</h2>
        <p>{isOffline ? strings.noConnectionWhy : strings.busyWhy}</p>
        <button type="button" class="button" onClick={onRetry}>
          {strings.retryNow}
        </button>
      </section>
    );
  }
  const { end } = view;
  const nextStep = signIn === null ? strings.askForNewLink : strings.signInToContinue;
  return (
    <section class="notice" role="alert">
      <h2>{strings[end]}</h2>
      <p>{end === 'unknown' ? strings.unknownWhy : `${strings[`${end}Why`]} ${nextStep}`}</p>
      {signIn !== null && end !== 'unknown' && (
        <a class="button" href={signIn} target="_top" rel="noreferrer">
          {strings.signIn}
        </a>
      )}
    </section>
  );
}
