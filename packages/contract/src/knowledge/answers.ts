import Type from 'typebox';
import { Body, SpaceParams, Text } from '../common.ts';
import { operation, PERMISSIONS } from '../operation.ts';
import { Document, exampleDocument } from './document.ts';
import { Metadata } from './document-fields.ts';

const MAX_CORRECTED_QUESTION_LENGTH = 1000;
const MAX_CORRECTED_ANSWER_LENGTH = 20_000;

export const NewAnswer = Body({
  question: Text({
    description: 'Question that the answer is for. White space is collapsed.',
    minLength: 1,
    maxLength: MAX_CORRECTED_QUESTION_LENGTH,
  }),
  answer: Text({
    description: 'Answer in Markdown.',
    minLength: 1,
    maxLength: MAX_CORRECTED_ANSWER_LENGTH,
  }),
  metadata: {
    ...Metadata,
    ifMissing:
      'it decides which links can see the answer; send the metadata of the documents that the answer replaces, or {} for none',
  },
});
export type NewAnswer = Type.Static<typeof NewAnswer>;

export const createAnswer = operation({
  id: 'createAnswer',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/answers',
  idempotent: true,
  summary: 'Add a corrected answer',
  description:
    'Stores a question and its answer as a Markdown document, which searches find and the assistant cites under the same filters as any other document. Each request creates a document. To change or delete the answer, change or delete the document.',
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  body: NewAnswer,
  bodyExample: {
    question: 'Do you ship to Norway?',
    answer: 'Yes. Parcels to Norway take five working days.',
    metadata: { department: 'support', audience: ['customer', 'staff'] },
  },
  responses: {
    201: {
      description: 'The created document in the state `processing`.',
      schema: Document,
      example: {
        ...exampleDocument,
        fileName: 'answer-0199f3a2-9a10-7c3e-8b21-5d9e7f60a1c4.md',
        title: 'Do you ship to Norway?',
        givenTitle: 'Do you ship to Norway?',
        url: null,
        language: null,
        bytes: 72,
        state: 'processing',
        passages: 0,
      },
      headers: { Location: { description: 'Path of the document.', schema: Type.String() } },
    },
  },
  errors: [400, 401, 403, 503],
  errorExamples: {
    400: {
      message:
        'The request has a problem: metadata: is required; it decides which links can see the answer; send the metadata of the documents that the answer replaces, or {} for none.',
      code: 'knowledge.invalid',
      issues: [
        {
          message:
            'metadata: is required; it decides which links can see the answer; send the metadata of the documents that the answer replaces, or {} for none',
        },
      ],
    },
  },
});
