import type { CreatedInvitation, Invitation } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { allItems } from '../../app/all-items.ts';
import { client } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { membersPath } from '../../app/paths.ts';
import { type Role, roleOptions } from '../../app/roles.ts';
import { Code } from '../../components/code.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Field, Select } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { List } from '../../components/list.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';

export interface InvitationsProps {
  readonly spaceId: string;
  readonly botId: number;
}

/** The pending invitations of a bot, and the form that invites a person. */
export function Invitations({ spaceId, botId }: InvitationsProps) {
  const { bot } = useLocation().query;
  const [withdrawn, setWithdrawn] = useState<Invitation | null>(null);
  const page = useLoaded(`invitations ${botId}`, () =>
    allItems(client.invitations.list(botId, { limit: 200 })),
  );
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">{t('Invitations')}</h2>
      <List
        caption={t('Invitations')}
        columns={[t('Email address'), t('Role'), t('Expires'), t('Actions')]}
        page={page}
        path={membersPath(spaceId)}
        query={{ bot }}
        keyOf={({ id }) => id}
        row={(invitation) => (
          <>
            <td>
              <bdi>{invitation.email}</bdi>
            </td>
            <td>{roleOptions().find(([role]) => role === invitation.role)?.[1]}</td>
            <td>
              <Time at={invitation.expiresAt} />
            </td>
            <td>
              <button type="button" class="small danger" onClick={() => setWithdrawn(invitation)}>
                {t('Withdraw')} <span class="visually-hidden">{invitation.email}</span>
              </button>
            </td>
          </>
        )}
        empty={
          <p>
            {t(
              'No invitation is pending. An invitation is a link that you send to a person. It is valid for seven days.',
            )}
          </p>
        }
      />
      {withdrawn !== null && (
        <Confirm
          title={t('Withdraw the invitation of {person}?', { person: withdrawn.email })}
          action={t('Withdraw')}
          perform={async () => {
            await client.invitations.delete(botId, withdrawn.id);
            page.reload();
          }}
          onClose={() => setWithdrawn(null)}
        >
          <p>{t('The link of the invitation stops working.')}</p>
        </Confirm>
      )}
      <Invite botId={botId} onInvited={page.reload} />
    </section>
  );
}

interface InviteProps {
  readonly botId: number;
  readonly onInvited: () => void;
}

function Invite({ botId, onInvited }: InviteProps) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const [created, setCreated] = useState<CreatedInvitation | null>(null);
  const invite = useAction(async () => {
    setCreated(await client.invitations.create(botId, { email, role }));
    setEmail('');
    onInvited();
  });
  return (
    <>
      <h3>{t('Invite a person')}</h3>
      {created !== null && (
        <div role="status">
          <p>
            {t('Send this link to {person}. It is shown only once. The service sends no email.', {
              person: created.email,
            })}
          </p>
          <Code name={t('Link of the invitation')} text={created.url} />
        </div>
      )}
      <Form class="row" draft={{ email, role }} action={invite} submit={t('Invite')}>
        <Field
          label={t('Email address')}
          member="email"
          type="email"
          required
          maxLength={254}
          value={email}
          onValue={setEmail}
        />
        <Select
          label={t('Role')}
          options={roleOptions()}
          value={role}
          onValue={(value) =>
            setRole(roleOptions().find(([one]) => one === value)?.[0] ?? 'viewer')
          }
        />
      </Form>
    </>
  );
}
