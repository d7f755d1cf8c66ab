"""Mails -> verdicts: a filter that stands between a mail server and a mailbox, and never loses a mail.

`mail` is what is seen of a mail, and a mail with the verdict in its headers; `boxes` reads many mails from mailboxes;
`verdict` says spam, ham or unsure, in decibans, and by which words; `journal` has mails to learn from, as `records`,
until they are folded into the model; `kept` has what models that are made here have learnt, `fitted` makes them, and
`tables` has their words so that `quick` answers without loading them. Nothing here takes NumPy,
but for folding and for models whose evidence takes it: one mail is one process, which shall start quickly.
"""
