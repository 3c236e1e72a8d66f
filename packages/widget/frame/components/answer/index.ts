import { addStyle } from '../../styles/add-style.ts';
import css from '../../styles/answering.css?inline';

// All that nothing needs before the first answer: fetched with it, as one.
export { createAnnouncer } from '../../screen-reader/index.ts';
export { AnswerView } from './answer-view.tsx';
export { PassageDialog } from './passage-dialog.tsx';

addStyle(css);
