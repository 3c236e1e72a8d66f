export type { Prices } from './cost.rules.ts';
export {
  type ChatDeps,
  type ChatRoom,
  type ChatRoutesDeps,
  createChat,
  newestConversationIn,
  registerChatRoutes,
} from './create-chat.ts';
export { type CountTurns, countTurns } from './turn.metrics.ts';
export type { TurnRates } from './turn-limits.ts';
