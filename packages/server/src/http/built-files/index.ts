export { type BuiltFile, folderOf, NotBuilt, readBuiltFiles } from './built-files.ts';
export { fileResponse } from './file-response.ts';
