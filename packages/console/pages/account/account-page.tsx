import { useState } from 'preact/hooks';
import { client, session } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { useNoSpace } from '../../app/space.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Field } from '../../components/field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Time } from '../../components/times/time.tsx';
import { plural, rich, t } from '../../translations/translate.ts';
import { ChangePassword } from './change-password.tsx';
import { OwnSessions } from './own-sessions.tsx';
import { RecoveryCodes, SetUp } from './set-up.tsx';

/** The account of the signed-in user: the sessions, the password and the second factor. */
export function AccountPage() {
  useNoSpace();
  const state = useLoaded('second factor', () => client.secondFactor.get());
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <>
      <h1>{t('Your account')}</h1>
      <p>
        <bdi>{session.value?.user.email}</bdi>
      </p>
      <OwnSessions />
      <ChangePassword />
      <section aria-labelledby="second-factor">
        <h2 id="second-factor">{t('Second factor')}</h2>
        <p>
          {t(
            'With a second factor, you sign in with your password and a code from an app on your phone. Somebody who has only your password cannot sign in.',
          )}
        </p>
        {state.problem && <ProblemNote problem={state.problem} />}
        {codes !== null && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
        {codes === null && state.data?.enabledAt === null && (
          <SetUp
            onEnabled={(recoveryCodes) => {
              setCodes(recoveryCodes);
              state.reload();
            }}
          />
        )}
        {codes === null && state.data?.enabledAt && (
          <Enabled
            since={state.data.enabledAt}
            recoveryCodes={state.data.recoveryCodes}
            onDisabled={state.reload}
          />
        )}
      </section>
    </>
  );
}

interface EnabledProps {
  /** ISO 8601. */
  readonly since: string;
  /** Number of unused recovery codes. */
  readonly recoveryCodes: number;
  readonly onDisabled: () => void;
}

function Enabled({ since, recoveryCodes, onDisabled }: EnabledProps) {
  const [isDisabling, setDisabling] = useState(false);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  return (
    <>
      <p>
        {rich('On since {time}.', { time: <Time at={since} /> })}{' '}
        {plural(
          recoveryCodes,
          '{count} recovery code is left.',
          '{count} recovery codes are left.',
        )}
      </p>
      {recoveryCodes < 3 && (
        <p class="warning">
          {t('To get new recovery codes, disable the second factor and set it up again.')}
        </p>
      )}
      <div class="actions">
        <button
          type="button"
          class="danger"
          onClick={() => {
            setPassword('');
            setCode('');
            setDisabling(true);
          }}
        >
          {t('Disable the second factor')}
        </button>
      </div>
      {isDisabling && (
        <Confirm
          title={t('Disable the second factor?')}
          action={t('Disable')}
          perform={async () => {
            await client.secondFactor.disable({ password, code });
            onDisabled();
          }}
          onClose={() => setDisabling(false)}
        >
          <p>{t('Signing in then needs only your password. The recovery codes become invalid.')}</p>
          <Field
            label={t('Password')}
            type="password"
            autocomplete="current-password"
            required
            value={password}
            onValue={setPassword}
          />
          <Field
            label={t('Code')}
            autocomplete="one-time-code"
            minLength={6}
            maxLength={64}
            required
            hint={t('The six digits that your authenticator app shows, or a recovery code')}
            value={code}
            onValue={setCode}
          />
        </Confirm>
      )}
    </>
  );
}
