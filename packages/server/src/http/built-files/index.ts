export { answerFile } from './answer-file.ts';
export { type BuiltFile, folderOf, NotBuilt, readBuiltFiles } from './built-files.ts';
