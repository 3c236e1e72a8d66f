/** The form of a language tag (BCP 47, RFC 5646, section 2.1), whether or not it is registered. */
const TAG = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/;

export function isLanguage(tag: string): boolean {
  return tag.length <= 35 && TAG.test(tag);
}
