import Type from 'typebox';
import {
  Bool,
  EXAMPLE_TIME,
  Int,
  Moment,
  OneOf,
  SpaceParams,
  Str,
  Timestamp,
  Uuid,
} from '../common.ts';
import { json, operation, PERMISSIONS } from '../operation.ts';

/** Maximum number of questions that one request groups. */
export const MAX_GROUPED_QUESTIONS = 2000;
/** Maximum number of messages that a group lists. */
export const MAX_LISTED_MESSAGES = 20;

export const QuestionGroup = Type.Object({
  question: Str('Newest question of the group. At most the first 1,000 characters.'),
  count: Type.Integer({ minimum: 1, description: 'Number of similar questions.' }),
  newestAt: Timestamp('Time of the newest answer.'),
  messages: Type.Array(
    Type.Object({
      conversationId: Uuid('ID of the conversation.'),
      questionId: Uuid('ID of the question.'),
      answerId: Uuid('ID of the answer.'),
    }),
    { description: 'Messages of the newest 20 questions of the group, newest first.' },
  ),
});
export type QuestionGroup = Type.Static<typeof QuestionGroup>;

export const QuestionGroups = Type.Object({
  items: Type.Array(QuestionGroup, {
    description: 'Groups, largest first. Groups of the same size: newest first.',
  }),
  examined: Int('Number of questions that were grouped. At most 2,000.'),
  isComplete: Bool(
    '`false`: older questions or smaller groups were omitted. Request a shorter period with `from` and `to`, or a higher `limit`.',
  ),
});
export type QuestionGroups = Type.Static<typeof QuestionGroups>;

const exampleGroup: QuestionGroup = {
  question: 'Do you ship to Norway?',
  count: 3,
  newestAt: EXAMPLE_TIME,
  messages: [
    {
      conversationId: '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a',
      questionId: '0199f3a2-b1c1-7a20-8c4f-0a1b2c3d4e5f',
      answerId: '0199f3a2-b1c2-7d10-9a3b-4c5d6e7f8a90',
    },
  ],
};

export const listQuestions = operation({
  id: 'listQuestions',
  feature: 'chat',
  method: 'GET',
  path: '/spaces/{spaceId}/questions',
  summary: 'List unanswered or disliked questions',
  description:
    'Groups the newest 2,000 questions whose answer is unanswered or disliked. Each request is recorded in the audit. Two questions are similar if they share at least half of their words, apart from common words and word endings. Starting with the newest, each question joins the group with the most similar first question, or starts a new group.',
  permission: PERMISSIONS.conversations,
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  query: Type.Object({
    state: OneOf(
      ['unanswered', 'disliked'],
      '`unanswered`: the assistant found nothing about the question in the documents. `disliked`: the person rated the answer `down`.',
    ),
    from: Type.Optional(Moment('Earliest time of the answer, inclusive.')),
    to: Type.Optional(Moment('Latest time of the answer, exclusive.')),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        default: 50,
        description: 'Maximum number of groups. Default 50.',
      }),
    ),
  }),
  paramsExample: { state: 'unanswered' },
  responses: {
    200: json('Groups of similar questions.', QuestionGroups, {
      items: [exampleGroup],
      examined: 3,
      isComplete: true,
    }),
  },
  errors: [400, 401, 403],
});
