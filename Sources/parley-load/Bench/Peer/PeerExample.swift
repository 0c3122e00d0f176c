import ArgumentParser

/// Descriptions of servers, ready to be used or changed.
enum PeerExample: String, CaseIterable, ExpressibleByArgument {
    case parley
    case synapse
    case ejabberd

    var json: String {
        switch self {
        case .parley: Self.parleyJSON
        case .synapse: Self.synapseJSON
        case .ejabberd: Self.ejabberdJSON
        }
    }

    /// Needs `parley serve --limits off`.
    private static let parleyJSON = """
        {
          "name": "Parley",
          "url": "http://127.0.0.1:8080",
          "senders": 16,
          "setup": [
            {
              "method": "POST", "path": "/v1/auth/register", "success": [201], "variables": {"first": "user.id"},
              "body": {"email": "a-{run}-{sender}@peer.example", "password": "correct horse", "displayName": "Peer A"}
            },
            {
              "method": "POST", "path": "/v1/auth/register", "success": [201], "variables": {"second": "user.id"},
              "body": {"email": "b-{run}-{sender}@peer.example", "password": "correct horse", "displayName": "Peer B"}
            },
            {
              "method": "POST", "path": "/v1/auth/register", "success": [201], "variables": {"token": "accessToken"},
              "body": {"email": "c-{run}-{sender}@peer.example", "password": "correct horse", "displayName": "Peer C"}
            },
            {
              "method": "PUT", "path": "/v1/conversations/{uuid}", "success": [201], "variables": {"group": "id"},
              "headers": {"Authorization": "Bearer {token}"},
              "body": {"groupName": "Peers {sender}", "participantIds": ["{first}", "{second}"]}
            }
          ],
          "request": {
            "method": "PUT", "path": "/v1/conversations/{group}/messages/{uuid}", "success": [201],
            "headers": {"Authorization": "Bearer {token}"},
            "body": {"text": "{text}"}
          }
        }
        """

    /// Needs `enable_registration_without_verification: true` and rate limits (`rc_message`, `rc_registration`, …) lifted.
    private static let synapseJSON = """
        {
          "name": "Synapse",
          "url": "http://127.0.0.1:8008",
          "senders": 16,
          "setup": [
            {
              "method": "POST", "path": "/_matrix/client/v3/register", "success": [200],
              "body": {"username": "peer-{run}-{sender}", "password": "correct horse", "auth": {"type": "m.login.dummy"}},
              "variables": {"token": "access_token"}
            },
            {
              "method": "POST", "path": "/_matrix/client/v3/createRoom", "success": [200],
              "headers": {"Authorization": "Bearer {token}"},
              "body": {"preset": "public_chat", "name": "Peers {sender}"},
              "variables": {"room": "room_id"}
            }
          ],
          "request": {
            "method": "PUT", "path": "/_matrix/client/v3/rooms/{room}/send/m.room.message/{uuid}", "success": [200],
            "headers": {"Authorization": "Bearer {token}"},
            "body": {"msgtype": "m.text", "body": "{text}"}
          }
        }
        """

    /// Needs `mod_http_api` on this port with `send_message` and `register` open to this address, and `mod_mam` in SQL.
    private static let ejabberdJSON = """
        {
          "name": "ejabberd",
          "url": "http://127.0.0.1:5280",
          "senders": 16,
          "setup": [
            {
              "method": "POST", "path": "/api/register", "success": [200],
              "body": {"user": "a-{run}-{sender}", "host": "localhost", "password": "correct horse"}
            },
            {
              "method": "POST", "path": "/api/register", "success": [200],
              "body": {"user": "b-{run}-{sender}", "host": "localhost", "password": "correct horse"}
            }
          ],
          "request": {
            "method": "POST", "path": "/api/send_message", "success": [200],
            "body": {
              "type": "chat", "from": "a-{run}-{sender}@localhost", "to": "b-{run}-{sender}@localhost", "subject": "",
              "body": "{text}"
            }
          }
        }
        """
}
