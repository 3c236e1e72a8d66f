import type { Space } from '@gatehouse/client';
import { t } from '../translations/translate.ts';
import { Field } from './field.tsx';

type Budget = NonNullable<Space['budget']>;

const LIMITS = ['tokensPerDay', 'tokensPerMonth', 'costPerDay', 'costPerMonth'] as const;

/** The limits of a budget as a form shows them. An empty text is no limit. */
export type BudgetDraft = Readonly<Record<(typeof LIMITS)[number], string>>;

export function toBudgetDraft(budget: Budget | null): BudgetDraft {
  const text = (name: keyof Budget) => String(budget?.[name] ?? '');
  return Object.fromEntries(LIMITS.map((name) => [name, text(name)])) as BudgetDraft;
}

/** Converts a draft. The service reports the problems of a text that is not a number. Returns null if there is no limit. */
export function toBudget(draft: BudgetDraft): Budget | null {
  const given = LIMITS.filter((name) => draft[name].trim() !== '');
  if (given.length === 0) return null;
  return Object.fromEntries(given.map((name) => [name, Number(draft[name])]));
}

export interface BudgetFieldsProps {
  readonly draft: BudgetDraft;
  readonly onDraft: (draft: BudgetDraft) => void;
}

/** The limits for models, per day and per month. */
export function BudgetFields({ draft, onDraft }: BudgetFieldsProps) {
  const names = {
    tokensPerDay: t('Tokens per day'),
    tokensPerMonth: t('Tokens per month'),
    costPerDay: t('Cost per day'),
    costPerMonth: t('Cost per month'),
  };
  return (
    <div class="pairs">
      {LIMITS.map((name) => (
        <Field
          key={name}
          label={names[name]}
          member={`budget.${name}`}
          inputMode="decimal"
          placeholder={t('No limit')}
          value={draft[name]}
          onValue={(value) => onDraft({ ...draft, [name]: value })}
        />
      ))}
    </div>
  );
}
