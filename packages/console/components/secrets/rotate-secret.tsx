import { useState } from 'preact/hooks';
import { useAction } from '../../app/loading.ts';
import { t } from '../../translations/translate.ts';
import { Code } from '../code.tsx';
import { useDialog } from '../dialog.ts';
import { Select } from '../field.tsx';
import { ProblemNote } from '../problem-note.tsx';

export interface RotateSecretProps {
  readonly title: string;
  /** The effect of the new secret. */
  readonly explanation: string;
  /** Creates a new secret and returns it. */
  readonly rotate: (keepOldSeconds: number) => Promise<string>;
  readonly onClose: () => void;
}

/** A dialog that replaces a signing secret and shows the new one once. */
export function RotateSecret({ title, explanation, rotate, onClose }: RotateSecretProps) {
  const [seconds, setSeconds] = useState('86400');
  const [secret, setSecret] = useState<string | null>(null);
  const rotating = useAction(async () => setSecret(await rotate(Number(seconds))));
  const { dialog, closeButton } = useDialog(rotating, onClose);
  const periods = [
    ['0', t('not at all')],
    ['3600', t('for one hour')],
    ['86400', t('for one day')],
    ['604800', t('for one week')],
  ] as const;
  return (
    <dialog {...dialog} aria-labelledby="rotate-title">
      <h2 id="rotate-title">{title}</h2>
      {secret === null ? (
        <>
          <p>{explanation}</p>
          <Select
            label={t('The old secret stays valid')}
            options={periods}
            value={seconds}
            onValue={setSeconds}
          />
        </>
      ) : (
        <NewSecret secret={secret} />
      )}
      {rotating.problem && <ProblemNote problem={rotating.problem} />}
      <div class="actions">
        {secret === null && (
          <button
            type="button"
            class="main"
            aria-disabled={rotating.isRunning}
            onClick={() => void rotating.run()}
          >
            {t('Create a new secret')}
          </button>
        )}
        <button {...closeButton}>{secret === null ? t('Cancel') : t('Close')}</button>
      </div>
    </dialog>
  );
}

/** A secret that is shown once. */
export function NewSecret({ secret }: { readonly secret: string }) {
  return (
    <div class="secret" role="status">
      <p>{t('Store this secret now. It is shown only once.')}</p>
      <Code name={t('The new secret')} text={secret} />
    </div>
  );
}
