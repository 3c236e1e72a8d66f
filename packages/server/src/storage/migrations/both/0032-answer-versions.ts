/** The filter with which an answer was given. Answers now also contain the versions of their documents, in an existing column. */
export const answerVersions = ['alter table messages add column filter_digest text'];
