import { useState } from 'preact/hooks';
import { client, loadSession } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { t } from '../../translations/translate.ts';

export interface CodeFormProps {
  readonly challenge: string;
  readonly onSignedIn?: () => void;
  /** Returns to the first step. */
  readonly onBack: () => void;
}

/** The second step of a sign-in. */
export function CodeForm({ challenge, onSignedIn, onBack }: CodeFormProps) {
  const [code, setCode] = useState('');
  const signIn = useAction(async () => {
    await client.auth.openConsole({ challenge, code });
    await loadSession();
    onSignedIn?.();
  });
  return (
    <main class="narrow">
      <h1>{t('Enter a code')}</h1>
      <Form
        action={signIn}
        submit={t('Sign in')}
        more={
          <button type="button" class="plain" onClick={onBack}>
            {t('Start again')}
          </button>
        }
      >
        <Field
          label={t('Code')}
          autocomplete="one-time-code"
          minLength={6}
          maxLength={64}
          required
          isFocused
          hint={t('The six digits that your authenticator app shows, or a recovery code')}
          value={code}
          onValue={setCode}
        />
      </Form>
      <p class="hint">
        {t('No app and no recovery code? An administrator can remove your second factor.')}
      </p>
    </main>
  );
}
