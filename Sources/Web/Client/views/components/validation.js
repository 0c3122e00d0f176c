// What can be seen to be wrong before the server is asked, in the shape of its own problems.

/// Throws what is wrong with the fields, if anything is.
export function check(...wrong) {
  const errors = wrong.filter(Boolean);
  if (errors.length > 0) throw Object.assign(new Error('invalid'), { code: 'validationFailed', errors });
}

export function needed(pointer, value) {
  return value.trim() === '' && { pointer, code: 'required' };
}

export function emailLike(value) {
  return needed('/email', value) || (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(value.trim()) && { pointer: '/email', code: 'invalidEmail' });
}

/// Lengths count as the server counts them: in Unicode scalars.
export function passwordLike(pointer, value) {
  const length = [...value].length;
  if (length < 8) return { pointer, code: 'passwordTooShort' };
  return length > 256 && { pointer, code: 'passwordTooLong' };
}

export function nameLike(value) {
  const length = [...value.trim()].length;
  return (length < 2 || length > 30) && { pointer: '/displayName', code: length === 0 ? 'required' : 'nameLength' };
}
