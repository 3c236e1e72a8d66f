import type { Space } from '@gatehouse/client';
import { useRef, useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { mergeChanges } from '../../app/forms/changes.ts';
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
  const base = useRef(space.eventRetention);
  const [{ days, megabytes }, setDraft] = useState(() => toRetentionDraft(space.eventRetention));
  const save = useAction(async () => {
    const { eventRetention } = await client.spaces.get(space.id);
    const wanted = {
      maxAgeDays: days.trim() === '' ? null : Number(days),
      maxBytes: megabytes.trim() === '' ? null : Math.round(Number(megabytes) * MEGABYTE),
    };
    const saved = await client.spaces.update(space.id, {
      eventRetention: mergeChanges(eventRetention, base.current, wanted),
    });
    base.current = saved.eventRetention;
    setDraft(toRetentionDraft(saved.eventRetention));
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
            onValue={(days) => setDraft({ days, megabytes })}
          />
          <Field
            label={t('Maximum size in MB')}
            member="eventRetention.maxBytes"
            inputMode="decimal"
            value={megabytes}
            onValue={(megabytes) => setDraft({ days, megabytes })}
          />
        </div>
      </Form>
    </section>
  );
}

function toRetentionDraft({ maxAgeDays, maxBytes }: Space['eventRetention']) {
  return {
    days: String(maxAgeDays ?? ''),
    megabytes: maxBytes === null ? '' : String(maxBytes / MEGABYTE),
  };
}

/** The budget of a space for models. Only owners may change it. */
export function SpaceBudget({ space }: { readonly space: Space }) {
  const base = useRef(space.budget ?? {});
  const [draft, setDraft] = useState<BudgetDraft>(() => toBudgetDraft(space.budget));
  const save = useAction(async () => {
    const { budget } = await client.spaces.get(space.id);
    const merged = mergeChanges(budget ?? {}, base.current, toBudget(draft) ?? {});
    const saved = await client.spaces.update(space.id, {
      budget: Object.keys(merged).length === 0 ? null : merged,
    });
    base.current = saved.budget ?? {};
    setDraft(toBudgetDraft(saved.budget));
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
