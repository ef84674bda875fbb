/** A day of the years that the api takes, `yyyy-mm-dd`; a field of the browser also gives the year 0002 while one types. */
export const isGivenDay = (text: string | undefined): text is string =>
  text !== undefined && /^(?:(?:19|20|21)\d\d|2200)-\d\d-\d\d$/.test(text) && isInCalendar(text);

const isInCalendar = (day: string): boolean => {
  const moment = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day);
};
