import type { NewSecondFactor } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { Code } from '../../components/code.tsx';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { t } from '../../translations/translate.ts';

interface SetUpProps {
  readonly onEnabled: (recoveryCodes: readonly string[]) => void;
}

/** Sets up an authenticator app in two steps: the password, and a first code of the app. */
export function SetUp({ onEnabled }: SetUpProps) {
  const [started, setStarted] = useState<NewSecondFactor | null>(null);
  return started === null ? (
    <PasswordStep onStarted={setStarted} />
  ) : (
    <CodeStep started={started} onEnabled={onEnabled} onBack={() => setStarted(null)} />
  );
}

function PasswordStep({ onStarted }: { readonly onStarted: (started: NewSecondFactor) => void }) {
  const [password, setPassword] = useState('');
  const start = useAction(async () => onStarted(await client.secondFactor.start({ password })));
  return (
    <Form class="limited" action={start} submit={t('Set up an authenticator app')}>
      <Field
        label={t('Password')}
        type="password"
        autocomplete="current-password"
        required
        value={password}
        onValue={setPassword}
      />
    </Form>
  );
}

interface CodeStepProps extends SetUpProps {
  readonly started: NewSecondFactor;
  readonly onBack: () => void;
}

function CodeStep({ started, onEnabled, onBack }: CodeStepProps) {
  const [code, setCode] = useState('');
  const confirm = useAction(async () => {
    const { recoveryCodes } = await client.secondFactor.confirm({ code });
    onEnabled(recoveryCodes);
  });
  return (
    <Form
      class="limited"
      action={confirm}
      submit={t('Turn on')}
      more={
        <button type="button" class="plain" onClick={onBack}>
          {t('Cancel')}
        </button>
      }
    >
      <p>
        {t(
          'Add an account to your authenticator app and enter this key. On a phone, the link opens the app. The key is shown only now.',
        )}
      </p>
      <Code name={t('Key')} text={groupsOf(started.secret)} />
      <p>
        <a href={started.uri}>{t('Open in an authenticator app')}</a>
      </p>
      <Field
        label={t('Code')}
        autocomplete="one-time-code"
        minLength={6}
        maxLength={16}
        required
        isFocused
        hint={t('The six digits that the app shows. Your other sessions end.')}
        value={code}
        onValue={setCode}
      />
    </Form>
  );
}

/** Separates groups of four characters, as apps permit. */
function groupsOf(secret: string): string {
  return secret.replaceAll(/.{4}(?=.)/g, '$& ');
}

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  return (
    <div class="limited" role="status">
      <p>
        <strong>{t('The second factor is on.')}</strong>{' '}
        {t(
          'Store these recovery codes in a safe place, apart from your phone. Each code works once, in place of a code from the app. The codes are not shown again.',
        )}
      </p>
      <Code name={t('Recovery codes')} text={codes.join('\n')} />
      <div class="actions">
        <button type="button" class="main" onClick={onClose}>
          {t('I have stored the codes')}
        </button>
      </div>
    </div>
  );
}
