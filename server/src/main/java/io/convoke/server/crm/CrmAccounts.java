package io.convoke.server.crm;

import java.io.IOException;

/** The accounts at the CRM that users connected. */
public interface CrmAccounts {
  /** No user may connect one. */
  CrmAccounts NONE =
      new CrmAccounts() {
        @Override
        public CrmAccess ofMeeting(long meetingId) {
          return new CrmAccess.NoAccount();
        }

        @Override
        public void refused(CrmAccess.ConnectedAccount account) {}
      };

  /**
   * Access to the account of the meeting's user.
   *
   * @throws IOException when a retry may succeed: the CRM does not answer, or another node asks it
   */
  CrmAccess ofMeeting(long meetingId) throws IOException, InterruptedException;

  /** The CRM refused the token before its end; the next access asks for another one. */
  void refused(CrmAccess.ConnectedAccount account);

  /** Access to an account. */
  sealed interface CrmAccess {
    /** The user connected none. */
    record NoAccount() implements CrmAccess {}

    /**
     * A token for requests to the account.
     *
     * @param id the CRM's id of the account
     * @param version of the pair of tokens
     */
    record ConnectedAccount(long userId, String id, long version, String token)
        implements CrmAccess {
      @Override
      public String toString() {
        return "ConnectedAccount[user " + userId + ", " + id + "]";
      }
    }

    /** The CRM gives no more tokens: the user must connect the account again. */
    record LostAccount(String why) implements CrmAccess {}
  }
}
