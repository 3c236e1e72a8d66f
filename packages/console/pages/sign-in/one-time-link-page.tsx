import type { Signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { challengeOf, client, loadSession, session } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { LanguageChoice } from '../../components/language-choice.tsx';
import { t } from '../../translations/translate.ts';
import { CodeForm } from './code-form.tsx';
import type { Fragment } from './fragment.ts';

const titles = () =>
  ({
    setup: t('Create the first administrator'),
    invitation: t('Accept the invitation'),
    reset: t('Choose a new password'),
    'sign-in': t('Sign in with a one-time link'),
    'sso-code': t('Signing in'),
  }) satisfies Record<Fragment['kind'], string>;

const buttons = () =>
  ({
    setup: t('Create the account'),
    invitation: t('Accept and sign in'),
    reset: t('Save and sign in'),
    'sign-in': t('Sign in'),
    'sso-code': t('Sign in'),
  }) satisfies Record<Fragment['kind'], string>;

/** Redeems the token of an address. After that, the user is signed in. */
export function OneTimeLinkPage({ fragment }: { readonly fragment: Signal<Fragment | null> }) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [challenge, setChallenge] = useState<string | null>(null);
  const { kind, token } = fragment.value ?? { kind: 'sign-in', token: '' };
  const isNewUser = kind === 'setup' || (kind === 'invitation' && session.value === null);
  const send = () =>
    kind === 'sso-code'
      ? client.singleSignOn.redeem({ code: token })
      : client.auth.redeem({
          token,
          ...(kind === 'setup' ? { email } : {}),
          ...(isNewUser ? { name } : {}),
          ...(isNewUser || kind === 'reset' ? { password } : {}),
        });
  const redeem = useAction(async () => {
    try {
      const { token: sessionToken } = await send();
      await client.auth.openConsole({ token: sessionToken });
    } catch (error) {
      const needed = challengeOf(error);
      if (needed === null) throw error;
      setChallenge(needed);
      return;
    }
    await loadSession();
    leave();
  });
  const leave = () => {
    fragment.value = null;
  };
  // Other links wait for a click, because somebody may have sent the user a link to an account of their own.
  useEffect(() => {
    if (kind === 'sso-code') void redeem.run();
  }, []);
  if (challenge !== null)
    return <CodeForm challenge={challenge} onSignedIn={leave} onBack={leave} />;
  return (
    <main class="narrow">
      <h1>{titles()[kind]}</h1>
      <Form
        action={redeem}
        submit={buttons()[kind]}
        more={
          <button type="button" class="plain" onClick={leave}>
            {session.value ? t('Cancel') : t('Sign in with a password instead')}
          </button>
        }
      >
        {kind === 'invitation' && session.value && (
          <p>{t('You accept as {email}.', { email: session.value.user.email })}</p>
        )}
        {kind === 'setup' && (
          <Field
            label={t('Email address')}
            type="email"
            autocomplete="username"
            required
            value={email}
            onValue={setEmail}
          />
        )}
        {isNewUser && (
          <Field label={t('Name')} autocomplete="name" required value={name} onValue={setName} />
        )}
        {(isNewUser || kind === 'reset') && (
          <Field
            label={t('Password')}
            type="password"
            autocomplete="new-password"
            minLength={12}
            maxLength={128}
            required
            hint={t('At least {count} characters', { count: 12 })}
            value={password}
            onValue={setPassword}
          />
        )}
      </Form>
      <LanguageChoice />
    </main>
  );
}
