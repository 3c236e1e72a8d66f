import type { Space } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { refreshSpace } from '../../app/space.ts';
import {
  type BudgetDraft,
  BudgetFields,
  toBudget,
  toBudgetDraft,
} from '../../components/budget-fields.tsx';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { t } from '../../translations/translate.ts';

const MEGABYTE = 1_000_000;

/** The retention of the events of a space. */
export function EventRetention({ space }: { readonly space: Space }) {
  const { maxAgeDays, maxBytes } = space.eventRetention;
  const [days, setDays] = useState(String(maxAgeDays ?? ''));
  const [megabytes, setMegabytes] = useState(maxBytes === null ? '' : String(maxBytes / MEGABYTE));
  const save = useAction(async () => {
    await client.spaces.update(space.id, {
      eventRetention: {
        maxAgeDays: days.trim() === '' ? null : Number(days),
        maxBytes: megabytes.trim() === '' ? null : Math.round(Number(megabytes) * MEGABYTE),
      },
    });
    await refreshSpace(space.id);
  });
  return (
    <section aria-labelledby="retention">
      <h2 id="retention">{t('Retention of events')}</h2>
      <p class="hint">
        {t('Older events are removed. Empty: the limit of the installation applies.')}
      </p>
      <Form
        action={save}
        submit={t('Save the retention')}
        draft={{ days, megabytes }}
        done={t('Saved')}
      >
        <div class="pairs">
          <Field
            label={t('Maximum age in days')}
            member="eventRetention.maxAgeDays"
            inputMode="numeric"
            value={days}
            onValue={setDays}
          />
          <Field
            label={t('Maximum size in MB')}
            member="eventRetention.maxBytes"
            inputMode="decimal"
            value={megabytes}
            onValue={setMegabytes}
          />
        </div>
      </Form>
    </section>
  );
}

/** The budget of a space for models. Only owners may change it. */
export function SpaceBudget({ space }: { readonly space: Space }) {
  const [draft, setDraft] = useState<BudgetDraft>(() => toBudgetDraft(space.budget));
  const save = useAction(async () => {
    await client.spaces.update(space.id, { budget: toBudget(draft) });
    await refreshSpace(space.id);
  });
  return (
    <section aria-labelledby="budget">
      <h2 id="budget">{t('Budget for models')}</h2>
      <p class="hint">
        {t(
          'When a limit is reached, answers say so and quote documents without a model. Days and months are in UTC. Costs need prices in the settings of the installation.',
        )}
      </p>
      <Form action={save} submit={t('Save the budget')} draft={draft} done={t('Saved')}>
        <BudgetFields draft={draft} onDraft={setDraft} />
      </Form>
    </section>
  );
}
