import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';

/** The form that changes the password of the user. */
export function ChangePassword() {
  const methods = useLoaded('methods', () => client.auth.methods());
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const change = useAction(async () => {
    await client.auth.changePassword({ currentPassword, newPassword });
    setCurrent('');
    setNew('');
  });
  if (methods.problem) return <ProblemNote problem={methods.problem} />;
  if (methods.data?.password !== true) return null;
  return (
    <section aria-labelledby="password">
      <h2 id="password">{t('Change the password')}</h2>
      <Form
        action={change}
        submit={t('Change the password')}
        draft={{ currentPassword, newPassword }}
        done={t('The password was changed. All other sessions have ended.')}
      >
        <Field
          label={t('Current password')}
          member="currentPassword"
          type="password"
          autocomplete="current-password"
          required
          value={currentPassword}
          onValue={setCurrent}
        />
        <Field
          label={t('New password')}
          member="newPassword"
          type="password"
          autocomplete="new-password"
          hint={t('At least {count} characters', { count: 12 })}
          required
          minLength={12}
          maxLength={128}
          value={newPassword}
          onValue={setNew}
        />
      </Form>
    </section>
  );
}
