import { conversationsPath, questionsPath, withQuery } from '../../app/paths.ts';
import { t } from '../../translations/translate.ts';

export interface ConversationTabsProps {
  readonly spaceId: string;
  readonly current: 'conversations' | 'unanswered' | 'disliked';
}

/** Links between the pages about conversations. */
export function ConversationTabs({ spaceId, current }: ConversationTabsProps) {
  const questions = (state: string) => withQuery(questionsPath(spaceId), { state });
  const tabs = [
    ['conversations', t('All conversations'), conversationsPath(spaceId)],
    ['unanswered', t('Questions without an answer'), questions('unanswered')],
    ['disliked', t('Disliked answers'), questions('disliked')],
  ] as const;
  return (
    <>
      <h1>{t('Conversations')}</h1>
      <ul class="tab-links">
        {tabs.map(([name, text, href]) => (
          <li key={name}>
            <a href={href} aria-current={name === current ? 'page' : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
      <p class="hint">{t('The audit records each time that you read conversations.')}</p>
    </>
  );
}
