import type { EventSource } from '@gatehouse/client';
import { rich } from '../../translations/translate.ts';
import { Time } from '../times/time.tsx';

/** The age of the current signing secret, and the end of the previous one. */
export function SecretPeriods({ secrets }: { readonly secrets: EventSource['secrets'] }) {
  return (
    <>
      {secrets.map(({ createdAt, endsAt }) => (
        <div key={createdAt}>
          {endsAt === null
            ? rich('since {time}', { time: <Time at={createdAt} /> })
            : rich('the previous one until {time}', { time: <Time at={endsAt} /> })}
        </div>
      ))}
    </>
  );
}
