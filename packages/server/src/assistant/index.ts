export { AnswerFailure } from './answerer.ts';
export { createAnswerer } from './choose-answerer.ts';
export {
  type ChatDeps,
  type ChatRoom,
  type ChatRoutesDeps,
  createChat,
  newestConversationIn,
  registerChatRoutes,
} from './create-assistant.ts';
export type { Prices } from './turns/cost.rules.ts';
export { type CountTurns, countTurns } from './turns/turn.metrics.ts';
export type { TurnRates } from './turns/turn-limits.ts';
