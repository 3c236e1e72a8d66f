import type { QuestionGroups } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { conversationPath } from '../../app/paths.ts';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Time } from '../../components/times/time.tsx';
import { plural, t } from '../../translations/translate.ts';
import { AnswerForm, hasAnswerDraft } from './answer-form.tsx';
import { ConversationTabs } from './conversation-tabs.tsx';

type Group = QuestionGroups['items'][number];

/** Similar questions that the assistant did not answer, or whose answers were disliked. */
export function QuestionsPage() {
  const { spaceId = '' } = useRoute().params;
  const state = useLocation().query['state'] === 'disliked' ? 'disliked' : 'unanswered';
  const { data, problem } = useLoaded(`questions ${spaceId} ${state}`, () =>
    client.spaceConversations.questions({ state }, { spaceId }),
  );
  return (
    <>
      <ConversationTabs spaceId={spaceId} current={state} />
      {problem !== null && <ProblemNote problem={problem} />}
      {problem === null && data === undefined && <LoadingNote />}
      {data?.items.length === 0 && (
        <p class="empty">
          {state === 'unanswered'
            ? t('Questions appear here if the assistant finds nothing about them in the documents.')
            : t('Questions appear here if a person dislikes their answer.')}
        </p>
      )}
      {data !== undefined && data.items.length > 0 && (
        <>
          <p role="status">
            {plural(
              data.examined,
              '{count} question, similar ones grouped.',
              '{count} questions, similar ones grouped.',
            )}{' '}
            {!data.isComplete && t('Older questions or smaller groups are not shown.')}
          </p>
          <ul class="groups">
            {data.items.map((group) => (
              <li key={group.messages[0]?.answerId ?? group.question}>
                <GroupView spaceId={spaceId} group={group} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function GroupView({ spaceId, group }: { readonly spaceId: string; readonly group: Group }) {
  const { question, count, newestAt, messages } = group;
  const [isAnswering, setAnswering] = useState(() => hasAnswerDraft(spaceId, question));
  const conversations = [...new Set(messages.map(({ conversationId }) => conversationId))];
  return (
    <>
      <div class="title">
        <h2 dir="auto">{question}</h2>
        {!isAnswering && (
          <button type="button" onClick={() => setAnswering(true)}>
            {t('Write the answer')} <span class="visually-hidden">{question.slice(0, 80)}</span>
          </button>
        )}
      </div>
      <p class="hint">
        {plural(count, 'asked {count} time, last', 'asked {count} times, last')}{' '}
        <Time at={newestAt} />
      </p>
      <p class="actions">
        <span class="hint">{t('Conversations:')}</span>
        {conversations.map((id, index) => (
          <a
            key={id}
            href={conversationPath(spaceId, id)}
            aria-label={t('Conversation {number}: {question}', {
              number: index + 1,
              question: question.slice(0, 80),
            })}
          >
            {index + 1}
          </a>
        ))}
      </p>
      {isAnswering && (
        <AnswerForm spaceId={spaceId} question={question} onCancel={() => setAnswering(false)} />
      )}
    </>
  );
}
