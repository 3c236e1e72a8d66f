import { addStyle } from '../../styles/add-style.ts';
import answer from '../../styles/answer.css?inline';
import answerText from '../../styles/answer-text.css?inline';

// The code that only answers need. It is fetched with the first answer, as one chunk.
export { Announcer } from '../../screen-reader/announcer.ts';
export { AnswerView } from './answer-view.tsx';
export { PassageDialog } from './passage-dialog.tsx';

addStyle(answer + answerText);
