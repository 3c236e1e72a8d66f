import type { Replay, Subscription } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { mayEdit } from '../../app/rights.ts';
import { useDialog } from '../../components/dialog.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { TimeField } from '../../components/times/time-field.tsx';
import { plural, rich, t } from '../../translations/translate.ts';

const HOUR_MS = 3_600_000;

export interface ReplayDialogProps {
  readonly subscription: Subscription;
  readonly onStarted: () => void;
  readonly onClose: () => void;
}

/** A dialog that resends the events since a time. */
export function ReplayDialog({ subscription, onStarted, onClose }: ReplayDialogProps) {
  const { id, spaceId } = subscription;
  const [from, setFrom] = useState(() => new Date(Date.now() - HOUR_MS).toISOString());
  const start = useAction(async () => {
    await client.subscriptions.replay(id, { from }, { spaceId });
    onStarted();
    onClose();
  });
  const { dialog, closeButton } = useDialog(start, onClose);
  return (
    <dialog {...dialog} aria-labelledby="replay-title">
      <h2 id="replay-title">{t('Replay events')}</h2>
      <p>
        {t(
          'Resends all events of this subscription that were received since this time, each with the same webhook-id. Newer events are delivered meanwhile.',
        )}
      </p>
      <TimeField label={t('Received from')} value={from} onValue={setFrom} />
      {start.problem && <ProblemNote problem={start.problem} />}
      <div class="actions">
        <button
          type="button"
          class="main"
          disabled={from === ''}
          aria-disabled={start.isRunning}
          onClick={() => void start.run()}
        >
          {t('Start the replay')}
        </button>
        <button {...closeButton}>{t('Cancel')}</button>
      </div>
    </dialog>
  );
}

export interface ReplayStateProps {
  readonly subscription: Subscription;
  readonly replay: Replay;
  readonly onChanged: () => void;
}

/** The progress of a replay. */
export function ReplayState({ subscription, replay, onChanged }: ReplayStateProps) {
  const { state, from, remaining, endedAt } = replay;
  const cancel = useAction(async () => {
    await client.subscriptions.cancelReplay(subscription.id, { spaceId: subscription.spaceId });
    onChanged();
  });
  const since = rich('Events since {time}:', { time: <ExactTime at={from} /> });
  if (state !== 'running')
    return (
      <>
        {since} {state === 'finished' ? t('finished') : t('cancelled')} <ExactTime at={endedAt} />
      </>
    );
  return (
    <>
      {since} {plural(remaining, '{count} event remains', '{count} events remain')}{' '}
      {mayEdit.value && (
        <button
          type="button"
          class="small"
          aria-disabled={cancel.isRunning}
          onClick={() => void cancel.run()}
        >
          {t('Cancel the replay')}
        </button>
      )}
      {cancel.problem && <ProblemNote problem={cancel.problem} />}
    </>
  );
}
