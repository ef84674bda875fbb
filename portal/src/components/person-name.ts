/** Display name of a person: the full name, else the email. The name may be empty, null or missing in an answer. */
export const personName = ({ full_name: name, email }: { full_name?: string | null; email: string }): string =>
  name === undefined || name === null || name.trim() === '' ? email : name;
