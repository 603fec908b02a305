/*
 * Control messages in memory; see mail.h.
 */
#include "mail.h"

#include <stdlib.h>
#include <string.h>

mail_t *mail_post(mail_t **first, int from, const void *content, size_t bytes)
{
    mail_t *mail = calloc(1, sizeof(*mail) + bytes);
    if (mail == NULL) {
        abort();
    }
    mail->from = from;
    mail->bytes = bytes;
    memcpy(mail->content, content, bytes);
    while (*first != NULL) {
        first = &(*first)->next;
    }
    *first = mail;
    return mail;
}

mail_t *mail_take(mail_t **first, pb_random_t *random)
{
    int n = 0;
    for (const mail_t *mail = *first; mail != NULL; mail = mail->next) {
        n++;
    }
    if (n == 0) {
        return NULL;
    }
    const mail_t *drawn = *first;
    for (int i = pb_random_below(random, n); i > 0; i--) {
        drawn = drawn->next;
    }
    while ((*first)->from != drawn->from) {
        first = &(*first)->next;
    }
    mail_t *taken = *first;
    *first = taken->next;
    return taken;
}

int mail_drop_all(mail_t **first)
{
    int n = 0;
    while (*first != NULL) {
        mail_t *mail = *first;
        *first = mail->next;
        free(mail);
        n++;
    }
    return n;
}
