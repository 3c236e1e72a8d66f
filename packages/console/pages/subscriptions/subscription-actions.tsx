import type { Subscription } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useNextPage } from '../../app/forms/next-page.ts';
import { useAction } from '../../app/loading.ts';
import { subscriptionsPath } from '../../app/paths.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { RotateSecret } from '../../components/secrets/rotate-secret.tsx';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { plural, t } from '../../translations/translate.ts';
import { ReplayDialog } from './replay.tsx';

export interface SubscriptionActionsProps {
  readonly subscription: Subscription;
  readonly onChanged: () => void;
}

/** Buttons that test, pause, replay and delete a subscription, and their dialogs. */
export function SubscriptionActions({ subscription, onChanged }: SubscriptionActionsProps) {
  const { id, spaceId, state } = subscription;
  const openNext = useNextPage();
  const [open, setOpen] = useState<'replay' | 'rotate' | 'delete' | null>(null);
  const [result, setResult] = useState<{ at: string; text: string } | null>(null);
  const close = () => setOpen(null);
  const test = useAction(async () => {
    setResult(null);
    const { delivered, status, message } = await client.subscriptions.test(id, { spaceId });
    const text = delivered
      ? t('The target accepted the test event with status {status}.', { status: String(status) })
      : t('The test failed: {message}', { message: message ?? '' });
    setResult({ at: new Date().toISOString(), text });
    onChanged();
  });
  const change = useAction(async () => {
    await client.subscriptions.update(
      id,
      { state: state === 'active' ? 'disabled' : 'active' },
      { spaceId },
    );
    onChanged();
  });
  return (
    <>
      <div class="actions">
        <button type="button" aria-disabled={test.isRunning} onClick={() => void test.run()}>
          {t('Send a test event')}
        </button>
        <button type="button" aria-disabled={change.isRunning} onClick={() => void change.run()}>
          {state === 'active' ? t('Pause') : t('Resume')}
        </button>
        <button type="button" onClick={() => setOpen('replay')}>
          {t('Replay')}
        </button>
        <button type="button" onClick={() => setOpen('rotate')}>
          {t('Rotate secret')}
        </button>
        <button type="button" class="danger" onClick={() => setOpen('delete')}>
          {t('Delete')}
        </button>
      </div>
      <p role="status" class="result-line">
        {test.isRunning && t('Sending a test event…')}
        {result !== null && (
          <>
            {result.text}{' '}
            <span class="hint">
              <ExactTime at={result.at} />
            </span>
          </>
        )}
      </p>
      {test.problem && <ProblemNote problem={test.problem} />}
      {change.problem && <ProblemNote problem={change.problem} />}
      {open === 'replay' && (
        <ReplayDialog subscription={subscription} onStarted={onChanged} onClose={close} />
      )}
      {open === 'rotate' && (
        <RotateSecret
          title={t('Rotate the secret of this subscription?')}
          explanation={t(
            'Deliveries are signed with both secrets while the old one stays valid. Configure the new one in the target before the old one becomes invalid.',
          )}
          rotate={async (keepOldSeconds) => {
            const rotated = await client.subscriptions.rotateSecret(
              id,
              { keepOldSeconds },
              { spaceId },
            );
            onChanged();
            return rotated.secret;
          }}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <Confirm
          title={t('Delete this subscription?')}
          action={t('Delete')}
          perform={async () => {
            await client.subscriptions.delete(id, { spaceId });
            openNext(subscriptionsPath(spaceId));
          }}
          onClose={close}
        >
          <p>
            {t('The target receives no further events. This discards its deliveries:')}{' '}
            {plural(subscription.waiting, '{count} waiting', '{count} waiting')},{' '}
            {plural(subscription.parked, '{count} parked', '{count} parked')}.{' '}
            {t('The events remain stored. This cannot be undone.')}
          </p>
        </Confirm>
      )}
    </>
  );
}
