import { useState } from 'preact/hooks';
import { challengeOf, client, loadSession } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { LanguageChoice } from '../../components/language-choice.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';
import { CodeForm } from './code-form.tsx';

/** The form for the address and the password, and the link to single sign-on. */
export function SignInPage() {
  const methods = useLoaded('methods', () => client.auth.methods());
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [challenge, setChallenge] = useState<string | null>(null);
  const signIn = useAction(async () => {
    try {
      await client.auth.openConsole({ email, password });
    } catch (error) {
      const needed = challengeOf(error);
      if (needed === null) throw error;
      setChallenge(needed);
      return;
    }
    await loadSession();
  });
  if (challenge !== null)
    return <CodeForm challenge={challenge} onBack={() => setChallenge(null)} />;
  const returnTo = encodeURIComponent(location.pathname + location.search);
  return (
    <main class="narrow">
      <h1>{t('Sign in to Gatehouse')}</h1>
      {methods.problem && <ProblemNote problem={methods.problem} />}
      {methods.data?.password !== false && (
        <Form action={signIn} submit={t('Sign in')}>
          <Field
            label={t('Email address')}
            type="email"
            autocomplete="username"
            required
            value={email}
            onValue={setEmail}
          />
          <Field
            label={t('Password')}
            type="password"
            autocomplete="current-password"
            required
            value={password}
            onValue={setPassword}
          />
        </Form>
      )}
      {methods.data?.singleSignOn && (
        <p>
          <a class="button" href={`/auth/sso/start?returnTo=${returnTo}`} rel="external">
            {t('Sign in with single sign-on')}
          </a>
        </p>
      )}
      <p class="hint">
        {t(
          'No account? An owner of a space can invite you. A new installation prints a setup link at its first start.',
        )}{' '}
        <a href="/docs/">{t('Documentation')}</a>
      </p>
      <LanguageChoice />
    </main>
  );
}
