import type { SpaceConversationWithMessages } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useFirstPageInstead, useLoaded } from '../../app/loading.ts';
import {
  conversationPath,
  conversationsPath,
  documentPath,
  linkPath,
  withQuery,
} from '../../app/paths.ts';
import { LoadingNote } from '../../components/loading-note.tsx';
import { PageProblem } from '../../components/problem-note.tsx';
import { shortened } from '../../components/shortened.ts';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';
import { AnswerForm } from './answer-form.tsx';
import { HandoffPanel } from './handoff-panel.tsx';

type Message = SpaceConversationWithMessages['messages']['items'][number];

/** One conversation: its messages with their sources and the feedback of the person. */
export function ConversationPage() {
  const { spaceId = '', conversationId = '' } = useRoute().params;
  const { after } = useLocation().query;
  const { data, problem, reload } = useLoaded(`conversation ${conversationId} ${after}`, () =>
    client.spaceConversations.get(conversationId, after ? { after } : {}, { spaceId }),
  );
  if (useFirstPageInstead(problem)) return <LoadingNote />;
  if (problem !== null) return <PageProblem problem={problem} />;
  if (data === undefined) return <LoadingNote />;
  const { items, next } = data.messages;
  const path = conversationPath(spaceId, conversationId);
  return (
    <>
      <p>
        <a href={conversationsPath(spaceId)}>{t('Conversations')}</a>
      </p>
      <h1>
        <bdi>{data.title === '' ? t('No question yet') : data.title}</bdi>
      </h1>
      <p class="hint">
        {data.sub === null ? (
          t('nobody in particular')
        ) : (
          <a href={withQuery(conversationsPath(spaceId), { sub: data.sub })}>
            <bdi>{shortened(data.sub)}</bdi>
          </a>
        )}
        {', '}
        <Time at={data.createdAt} />
      </p>
      <ol class="messages">
        {items.map((message, index) => (
          <li key={message.id} class={message.role}>
            <MessageView
              spaceId={spaceId}
              message={message}
              question={questionBefore(items, index)}
            />
          </li>
        ))}
      </ol>
      {next === null && (
        <HandoffPanel
          key={data.handoff?.id ?? 'none'}
          spaceId={spaceId}
          conversationId={conversationId}
          handoff={data.handoff}
          shown={items.map(({ id }) => id)}
          onEnd={reload}
        />
      )}
      <p class="pager">
        {after && <a href={path}>{t('First messages')}</a>}
        {next !== null && <a href={withQuery(path, { after: next })}>{t('Next messages')}</a>}
      </p>
    </>
  );
}

/** Returns the text of the question that an answer belongs to. */
function questionBefore(items: readonly Message[], index: number): string {
  return items.slice(0, index).findLast(({ role }) => role === 'user')?.text ?? '';
}

function authorOf({ role, author }: Message) {
  if (author !== null) return <bdi>{author}</bdi>;
  return role === 'user' ? t('Person') : t('Assistant');
}

interface MessageProps {
  readonly spaceId: string;
  readonly message: Message;
  /** For an answer: the text of its question. */
  readonly question: string;
}

function MessageView({ spaceId, message, question }: MessageProps) {
  const [isAnswering, setAnswering] = useState(false);
  const { role, text, createdAt, sources, attachments, rating, answered, linkId } = message;
  const isPoor = role === 'assistant' && (answered === false || rating === 'down');
  return (
    <>
      <p class="hint">
        <strong>{authorOf(message)}</strong> <Time at={createdAt} />{' '}
        {linkId !== null && <a href={linkPath(spaceId, linkId)}>{t('Link')}</a>}
        <Badges message={message} />
      </p>
      <p class="answer" dir="auto">
        {text}
      </p>
      {message.comment !== null && (
        <p>
          {t('Comment:')} <q dir="auto">{message.comment}</q>
        </p>
      )}
      {attachments.length > 0 && (
        <ul class="sources" aria-label={t('Attachments')}>
          {attachments.map(({ url, filename }) => (
            <li key={url}>
              <bdi>{filename}</bdi>
            </li>
          ))}
        </ul>
      )}
      {sources.length > 0 && (
        <ul class="sources" aria-label={t('Sources')}>
          {sources.map(({ number, documentId, position, heading, title, isAttachment }) => (
            <li key={`${number} ${documentId} ${position}`}>
              [{number}]{' '}
              {title === null ? (
                <span class="hint">{t('a deleted document')}</span>
              ) : isAttachment ? (
                <bdi>{title}</bdi>
              ) : (
                <a
                  href={withQuery(documentPath(spaceId, documentId), {
                    passage: position > 0 ? String(position) : undefined,
                  })}
                >
                  <bdi>{title}</bdi>
                </a>
              )}{' '}
              {heading !== null && heading !== title && (
                <span class="hint">
                  <bdi>{heading}</bdi>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {isPoor && !isAnswering && (
        <div>
          <button type="button" class="small" onClick={() => setAnswering(true)}>
            {t('Write the answer')}
          </button>
        </div>
      )}
      {isAnswering && (
        <AnswerForm
          spaceId={spaceId}
          question={question}
          likeDocument={
            sources.find(({ title, isAttachment }) => title !== null && !isAttachment)?.documentId
          }
          onCancel={() => setAnswering(false)}
        />
      )}
    </>
  );
}

function Badges({ message }: { readonly message: Message }) {
  const { state, failure, answered, rating, model } = message;
  return (
    <>
      {model !== null && <span> {model}</span>}{' '}
      {state === 'stopped' && <span class="badge">{t('stopped by the person')}</span>}
      {state === 'failed' && (
        <span class="badge bad">
          {t('failed')} {failure}
        </span>
      )}
      {answered === false && <span class="badge warn">{t('without an answer')}</span>}
      {rating === 'up' && <span class="badge good">{t('liked')}</span>}
      {rating === 'down' && <span class="badge bad">{t('disliked')}</span>}
    </>
  );
}
