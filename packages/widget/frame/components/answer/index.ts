import { addStyle } from '../../styles/add-style.ts';
import answer from '../../styles/answer.css?inline';
import answerText from '../../styles/answer-text.css?inline';
import print from '../../styles/print.css?inline';

// Code that is needed only to show answers. The build puts this code into one chunk, which is
// fetched with the first answer.
import '../../chat/send-question.ts';

export { Announcements } from '../../screen-reader/announcements.tsx';
export { QuestionView } from '../question/question-view.tsx';
export { AnswerView } from './answer-view.tsx';
export { EarlierMessages } from './earlier-messages.tsx';
export { PassageDialog } from './passage-dialog.tsx';

addStyle(answer + answerText + print);

/** Loads the code of handoffs, which only some assistants need. */
export const loadHandoffBar = () =>
  import('../../handoff/handoff-bar.tsx').then((module) => module.HandoffBar);

export const loadHistoryDialog = () =>
  import('../history-dialog.tsx').then((module) => module.HistoryDialog);
