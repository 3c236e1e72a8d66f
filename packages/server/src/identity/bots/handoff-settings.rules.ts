type Body = Readonly<Record<string, unknown>>;

/**
 * Returns the problems of the opening hours of a bot that the schema does not cover. Ignores members of the wrong type, which the
 * schema reports.
 */
export function botIssues(body: Body): { message: string }[] {
  const hours = member(member(body, 'handoff'), 'openingHours');
  const timeZone = member(hours, 'timeZone');
  const periods = member(hours, 'periods');
  const issues: string[] = [];
  const at = 'handoff.openingHours';
  if (typeof timeZone === 'string' && !isTimeZone(timeZone))
    issues.push(`${at}.timeZone: must be an IANA time zone, such as Europe/Berlin`);
  for (const [index, period] of (Array.isArray(periods) ? periods : []).entries()) {
    const [from, to] = [member(period, 'from'), member(period, 'to')];
    if (typeof from === 'string' && typeof to === 'string' && to <= from)
      issues.push(`${at}.periods[${index}].to: must be later than from`);
  }
  return issues.map((message) => ({ message }));
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Body)[name] : undefined;
}

/** Rejects offsets such as `+02:00`, which `Intl` accepts but which do not follow summer time. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}
