import type { PreviewAnswer } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { submits } from '../../app/forms/submits.ts';
import { useAction } from '../../app/loading.ts';
import { Field } from '../../components/field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';
import type { TargetProps } from './target.ts';

/** Asks a question as a user of the link, and shows the answer with the passages that it is based on. */
export function AskAsLink({ spaceId, target }: TargetProps) {
  const [question, setQuestion] = useState('');
  const [result, setResult] = useState<PreviewAnswer | null>(null);
  const ask = useAction(async () => {
    setResult(null);
    setResult(await client.accessPreview.ask({ ...target, question }, { spaceId }));
  });
  return (
    <section aria-labelledby="ask">
      <h2 id="ask">{t('Ask as this user')}</h2>
      <form class="row" onSubmit={submits(() => void ask.run())}>
        <Field
          isWide
          label={t('Question')}
          required
          maxLength={4000}
          value={question}
          onValue={setQuestion}
        />
        <button type="submit" aria-disabled={ask.isRunning}>
          {ask.isRunning ? t('Asking…') : t('Ask')}
        </button>
      </form>
      {ask.problem && <ProblemNote problem={ask.problem} />}
      {result !== null && (
        <div class="result" role="status">
          <p class="answer" dir="auto">
            {result.answer.text || result.answer.failure?.message}
          </p>
          <h3>{t('Passages that were found')}</h3>
          {result.passages.length === 0 && <p class="hint">{t('None')}</p>}
          <ul class="documents">
            {result.passages.map(({ documentId, fileName, position, text }) => (
              <li key={`${documentId} ${position}`}>
                <bdi>{fileName}</bdi>
                <p class="hint" dir="auto">
                  {text}
                </p>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
